import { Button, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { NameInput } from '../../parts/name-input.tsx'
import { focusOnFault, idle } from '../../parts/next-row.ts'
import { RoleNote } from '../../parts/role-note.tsx'
import { Section } from '../../parts/section.tsx'
import { useMay, useSession } from '../../session.ts'
import { roleWords } from './role-words.ts'
import { words } from './words.ts'

export default function Account() {
  const text = useWords(words)
  const isOwner = useMay('owner')
  return (
    <Section title={text.parts.account}>
      {isOwner ? <AccountName /> : <NameOnly />}
      <PublicAddress />
    </Section>
  )
}

function NameOnly() {
  const { onlyOwnersAccount } = useWords(roleWords)
  return (
    <div>
      <Text style={{ overflowWrap: 'anywhere' }}>{useSession().account.name}</Text>
      <RoleNote needed="owner">{onlyOwnersAccount}</RoleNote>
    </div>
  )
}

function AccountName() {
  const text = useWords(words)
  const { account } = useSession()
  // Until somebody types it is the account's, which a colleague may change meanwhile.
  const [typed, setTyped] = useState<string>()
  const name = typed ?? account.name
  const send = useSend('PATCH /account')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const after = { onSuccess: () => setTyped(undefined), onError: () => focusOnFault() }
    if (name !== account.name) send.mutate({ body: { name: name.trim() } }, after)
  }
  return (
    <form onSubmit={submit}>
      <Stack align="start">
        <NameInput label={text.name} w="100%" maw={420} value={name} failed={send.error} onChange={setTyped} />
        <Failure of={{ error: send.error }} />
        <Button type="submit" disabled={account.suspended} loading={send.isPending} {...idle(name === account.name)}>
          {text.save}
        </Button>
        <Text size="sm" role="status">
          {send.isSuccess && name === account.name ? text.saved : ''}
        </Text>
      </Stack>
    </form>
  )
}

function PublicAddress() {
  const text = useWords(words)
  const { publicUrl } = useSession()
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm">
        {text.address}
      </Text>
      <Text size="sm" c="dimmed">
        {text.addressText}
      </Text>
      <CopyBlock name={text.address} text={publicUrl} />
    </Stack>
  )
}
