import { Checkbox, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type AnswerOf, useSend } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { DialogForm } from '../../../parts/dialog-form.tsx'
import { NameInput } from '../../../parts/name-input.tsx'
import { focusNextRow } from '../../../parts/next-row.ts'
import { toast } from '../../../parts/toast.tsx'
import { freshKey } from './fresh-key.tsx'
import { words } from './words.ts'

export type Key = AnswerOf<'GET /keys'>['keys'][number]
type Scope = Key['scopes'][number]

type DialogProps = { onClose(): void }

/** What is being done to one key, or for a new one, in a dialog. */
export type Action = { what: 'create' } | { what: 'rename' | 'replace' | 'revoke'; of: Key }

export function KeyDialog({ action, onClose }: DialogProps & { action: Action | undefined }) {
  const text = useWords(words)
  const titleOf = (known: Action) => (known.what === 'create' ? text.newKey : text[`${known.what}Of`](known.of.name))
  return (
    <Modal
      opened={action !== undefined}
      onClose={onClose}
      title={action && titleOf(action)}
      withCloseButton={false}
      centered
    >
      {action?.what === 'create' && <NewKeyForm onClose={onClose} />}
      {action?.what === 'rename' && <RenameForm of={action.of} onClose={onClose} />}
      {action?.what === 'replace' && <ReplaceForm of={action.of} onClose={onClose} />}
      {action?.what === 'revoke' && <RevokeForm of={action.of} onClose={onClose} />}
    </Modal>
  )
}

function NewKeyForm({ onClose }: DialogProps) {
  const text = useWords(words)
  const send = useSend('POST /keys')
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>([])
  const create = async () => {
    freshKey.set(await send.mutateAsync({ body: { name: name.trim(), scopes } }))
    onClose()
  }
  return (
    <DialogForm send={send} submit={create} done={text.create} onClose={onClose}>
      <NameInput
        label={text.name}
        description={text.nameHint}
        data-autofocus
        value={name}
        failed={send.error}
        onChange={setName}
      />
      <Checkbox.Group
        label={text.scopes}
        description={text.scopesHint}
        value={scopes}
        onChange={(next) => setScopes(next as Scope[])}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(text.scope).map(([scope, label]) => (
            <Checkbox key={scope} value={scope} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  )
}

function RenameForm({ of, onClose }: DialogProps & { of: Key }) {
  const text = useWords(words)
  const send = useSend('PATCH /keys/:keyId')
  const [name, setName] = useState(of.name)
  const rename = async () => {
    if (name !== of.name) await send.mutateAsync({ params: { keyId: of.id }, body: { name: name.trim() } })
    onClose()
  }
  return (
    <DialogForm send={send} submit={rename} done={text.save} onClose={onClose}>
      <NameInput label={text.name} data-autofocus value={name} failed={send.error} onChange={setName} />
    </DialogForm>
  )
}

type Grace = keyof (typeof words)['en']['graces']

function ReplaceForm({ of, onClose }: DialogProps & { of: Key }) {
  const text = useWords(words)
  const send = useSend('POST /keys/:keyId/replacement')
  const [name, setName] = useState(of.name)
  const [grace, setGrace] = useState<Grace>(86_400)
  const replace = async () => {
    const body = { name: name.trim(), graceSeconds: Number(grace) as Grace }
    freshKey.set(await send.mutateAsync({ params: { keyId: of.id }, body }))
    onClose()
  }
  return (
    <DialogForm send={send} submit={replace} done={text.replaceDone} onClose={onClose}>
      <Text size="sm">{text.replaceText}</Text>
      <NameInput
        label={text.name}
        description={text.nameHint}
        data-autofocus
        value={name}
        failed={send.error}
        onChange={setName}
      />
      <Radio.Group label={text.grace} value={String(grace)} onChange={(next) => setGrace(Number(next) as Grace)}>
        <Group mt="xs">
          {Object.entries(text.graces).map(([seconds, label]) => (
            <Radio key={seconds} value={seconds} label={label} />
          ))}
        </Group>
      </Radio.Group>
    </DialogForm>
  )
}

function RevokeForm({ of, onClose }: DialogProps & { of: Key }) {
  const text = useWords(words)
  const send = useSend('DELETE /keys/:keyId')
  const revoke = async () => {
    const focusNext = focusNextRow('keys', of.id)
    await send.mutateAsync({ params: { keyId: of.id } })
    onClose()
    toast(text.revokedDone(of.name))
    focusNext()
  }
  return (
    <DialogForm send={send} submit={revoke} done={text.revokeDone} onClose={onClose} isDestructive>
      <Text size="sm">{text.revokeText}</Text>
      <Text size="sm" fw={600}>
        {text.revokeLinks}
      </Text>
    </DialogForm>
  )
}
