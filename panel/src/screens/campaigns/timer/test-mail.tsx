import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { type AnswerOf, useAsk, useSendAlone } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { download } from '../../../parts/download.ts'
import { Failure } from '../../../parts/failure.tsx'
import { useSession } from '../../../session.ts'
import { words } from './words.ts'

type Props = { campaignId: number; isDraft: boolean; link: number }

const mostShown = 20
const search = 'POST /campaigns/:campaignId/leads/search'
type Lead = AnswerOf<typeof search>['leads'][number]

/** The mail as one lead would get it, to the reader's own address or as a file. */
export function TestMail(props: Props) {
  const text = useWords(words)
  return (
    <Stack>
      <Title order={3} size="h4">
        {text.test}
      </Title>
      {props.isDraft ? <Text size="sm">{text.testDraft}</Text> : <Choice {...props} />}
    </Stack>
  )
}

function Choice({ campaignId, link }: Props) {
  const text = useWords(words)
  const { user, account, ways } = useSession()
  const [typed, setTyped] = useState('')
  const [isOpen, { open, close }] = useDisclosure(false)
  const [picked, setPicked] = useState<Lead | null>(null)
  const [prefix] = useDebouncedValue(typed === picked?.email ? '' : typed.trim(), 300)
  const body = { prefix, state: null, afterEmail: '', limit: mostShown }
  const { data, ...asked } = useAsk(search, { params: { campaignId }, body }, { staleMs: 5_000 })
  const send = useSendAlone('POST /campaigns/:campaignId/test-mail')
  const leads = data?.leads ?? []
  if (data !== undefined && leads.length === 0 && prefix === '') return <Text size="sm">{text.testNobody}</Text>
  const ask = async (isSent: boolean) => {
    if (picked === null) return
    const { file } = await send.mutateAsync({ params: { campaignId }, body: { ref: picked.ref, link, isSent } })
    if (file !== null) download(new Blob([file], { type: 'message/rfc822' }), `campaign-${campaignId}.eml`)
  }
  const pick = (lead: Lead | undefined) => {
    setPicked(lead ?? null)
    // Of the lead before.
    if (!send.isPending) send.reset()
  }
  /** The first of the list alone may be somebody else: the list is behind what is typed. */
  const pickTyped = () => {
    const whole = typed.trim()
    const lead =
      leads.find(({ email }) => email === whole) ??
      leads.find(({ email }) => email.toLowerCase() === whole.toLowerCase())
    if (lead === undefined) return
    if (lead.ref !== picked?.ref) pick(lead)
    close()
  }
  const isIdle = picked === null || account.suspended
  return (
    <>
      <Text size="sm">{text.testText}</Text>
      <Select
        label={text.testLead}
        maw={420}
        searchable
        data={leads.map(({ ref, email }) => ({ value: ref, label: email }))}
        // The service has found them already.
        filter={({ options }) => options}
        nothingFoundMessage={data && text.testNone}
        value={picked?.ref ?? null}
        searchValue={typed}
        onSearchChange={setTyped}
        dropdownOpened={isOpen}
        onDropdownOpen={open}
        onDropdownClose={close}
        onKeyDown={({ key }) => key === 'Enter' && pickTyped()}
        onBlur={pickTyped}
        onChange={(ref) => pick(leads.find((lead) => lead.ref === ref))}
      />
      {picked?.state === 'pending' && <Text size="sm">{text.testPending}</Text>}
      <Failure of={asked} />
      <Failure of={{ error: send.error }} invalid={text.testNoLink} />
      <Group>
        {ways.hasMail && (
          <Button disabled={isIdle} loading={send.isPending} onClick={() => ask(true).catch(() => {})}>
            {text.testSend(user.email)}
          </Button>
        )}
        <Button variant="default" disabled={isIdle || send.isPending} onClick={() => ask(false).catch(() => {})}>
          {text.testFile}
        </Button>
        <Text size="sm" role="status">
          {send.data?.sentTo == null ? '' : text.testSent(send.data.sentTo)}
        </Text>
      </Group>
    </>
  )
}
