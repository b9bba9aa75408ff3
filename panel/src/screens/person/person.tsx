import { Anchor, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, useSend, useSendAlone } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { download, jsonFile } from '../../parts/download.ts'
import { Failure } from '../../parts/failure.tsx'
import { focusOnFault } from '../../parts/next-row.ts'
import { RoleNote } from '../../parts/role-note.tsx'
import { Screen } from '../../parts/screen.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { toast } from '../../parts/toast.tsx'
import { useMay, useSession } from '../../session.ts'
import { StateBadge } from '../campaigns/leads/lead-list.tsx'
import { words } from './words.ts'

type Person = AnswerOf<'POST /person'>
type Lead = Person['leads'][number]

/** One person in all campaigns of the account. The address stands in no address of a page. */
export default function PersonScreen() {
  const text = useWords(words)
  const [email, setEmail] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const find = useSendAlone('POST /person')
  const isWrong = find.error?.code === 'INVALID'
  const searched = useRef('')
  const search = (wanted: string) => {
    searched.current = wanted
    setEmail(wanted)
    find.mutate({ body: { email: wanted } }, { onError: () => focusOnFault() })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search(email.trim())
  }
  return (
    <Screen title={text.title}>
      <Text size="sm" maw={640}>
        {text.intro}
      </Text>
      <form onSubmit={submit} noValidate>
        <Group align="start" gap="sm">
          <TextInput
            ref={input}
            aria-label={text.email}
            placeholder={text.email}
            type="email"
            inputMode="email"
            autoComplete="off"
            maxLength={254}
            flex={1}
            miw="min(100%, 13.75rem)"
            maw={420}
            value={email}
            error={isWrong ? text.emailWrong : undefined}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" loading={find.isPending}>
            {text.find}
          </Button>
        </Group>
      </form>
      {!isWrong && <Failure of={{ error: find.error }} />}
      <div role="status">
        {find.isSuccess && <Count email={find.variables.body.email} campaigns={find.data.leads.length} />}
      </div>
      {find.isSuccess && (
        <Found
          email={find.variables.body.email}
          person={find.data}
          onSearch={(spelling) => {
            search(spelling)
            // The button that was pressed goes.
            input.current?.focus()
          }}
          onErased={(count) => {
            toast(text.erased(count))
            // Meanwhile somebody else may have been searched for.
            if (searched.current !== find.variables.body.email) return
            search(find.variables.body.email)
            // The button that was pressed has gone.
            input.current?.focus()
          }}
        />
      )}
    </Screen>
  )
}

function Count({ email, campaigns }: { email: string; campaigns: number }) {
  const text = useWords(words)
  if (campaigns === 0) return <Text>{text.nobody(email)}</Text>
  return (
    <>
      <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
        {email}
      </Title>
      <Text size="sm" c="dimmed">
        {text.found(campaigns)}
      </Text>
    </>
  )
}

type FoundProps = { email: string; person: Person; onSearch(email: string): void; onErased(campaigns: number): void }

function Found({ email, person, onSearch, onErased }: FoundProps) {
  const text = useWords(words)
  const may = useMay('member')
  const spellings = [...new Set(person.otherSpellings.map((lead) => lead.email))]
  return (
    <>
      {person.leads.length > 0 && (
        <Stack>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-label={text.list}>
            {person.leads.map((lead) => (
              <Row key={lead.ref} lead={lead} />
            ))}
          </Stack>
          <Group>
            {may && (
              <Button variant="default" onClick={() => download(jsonFile(person), 'person.json')}>
                {text.download}
              </Button>
            )}
            {may && <Erase email={email} onErased={onErased} />}
          </Group>
          <RoleNote needed="member">{text.onlyMembers}</RoleNote>
        </Stack>
      )}
      {spellings.length > 0 && (
        <Stack gap="xs">
          <Title order={2} size="h3">
            {text.others}
          </Title>
          <Text size="sm">{text.othersText}</Text>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-label={text.others}>
            {spellings.map((spelling) => (
              <li key={spelling}>
                <Anchor
                  component="button"
                  type="button"
                  style={{ overflowWrap: 'anywhere', textAlign: 'start' }}
                  aria-label={text.open(spelling)}
                  onClick={() => onSearch(spelling)}
                >
                  {spelling}
                </Anchor>
              </li>
            ))}
          </Stack>
        </Stack>
      )}
    </>
  )
}

function Row({ lead }: { lead: Lead }) {
  const text = useWords(words)
  const { campaignId, campaignName, ref, timeZone } = lead
  const without = lead.state === 'pending' ? text.deadlineUnknown : text.noDeadline
  return (
    <Paper component="li" withBorder p="sm">
      <Group justify="space-between" align="start" gap="sm">
        <Text component="div" flex={1} miw="min(100%, 7rem)" style={{ overflowWrap: 'anywhere' }}>
          <Anchor component={Link} href={`/campaigns/${campaignId}/leads/${ref}`}>
            {campaignName}
          </Anchor>
        </Text>
        <StateBadge state={lead.state} />
      </Group>
      <Text size="sm" component="div">
        {text.deadline}: {lead.deadline === null ? without : <TimeText at={lead.deadline} timeZone={timeZone} />}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {text.registered}: <TimeText at={lead.registeredAt} timeZone={timeZone} />
      </Text>
    </Paper>
  )
}

function Erase({ email, onErased }: { email: string; onErased(campaigns: number): void }) {
  const text = useWords(words)
  const [isAsked, setAsked] = useState(false)
  const send = useSend('POST /person/erasure')
  const { suspended } = useSession().account
  const ask = () => {
    send.reset()
    setAsked(true)
  }
  const erase = async () => {
    const { campaignIds } = await send.mutateAsync({ body: { email } })
    setAsked(false)
    onErased(campaignIds.length)
  }
  return (
    <>
      <Button color="red" variant="outline" disabled={suspended} onClick={ask}>
        {text.erase}
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => setAsked(false)}
        title={text.eraseTitle}
        text={
          <>
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {email}
            </Text>
            <Text size="sm">{text.eraseText}</Text>
          </>
        }
        action={text.eraseDo}
        isDangerous
        send={send}
        onConfirm={() => erase().catch(() => {})}
      />
    </>
  )
}
