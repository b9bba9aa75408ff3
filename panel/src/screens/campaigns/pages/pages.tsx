import { Button, Checkbox, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAsk } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { CopyBlock } from '../../../parts/copy.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { useSession } from '../../../session.ts'
import type { PartProps } from '../campaign.tsx'
import { Behind } from '../clash.tsx'
import type { Settings } from '../use-campaign.ts'
import { useEdited } from '../use-edited.ts'
import { offerExample, widgetSnippet } from './widget-html.ts'
import { words } from './words.ts'

/** A page as it is being written; new ones have no id yet. */
type Draft = Omit<Settings['pages'][number], 'id'> & { id?: number; key: string }

const form = {
  part: 'pages' as const,
  draftOf: ({ pages }: Settings): Draft[] => pages.map((page) => ({ ...page, key: `page ${page.id}` })),
  settingsOf: (drafts: Draft[]) => ({
    pages: drafts.map(({ key: _, ...page }) => page) as Settings['pages'],
  }),
}

/** Not that of a page that stands there, nor of one that was there when these were kept. */
function newKey(pages: Draft[]): string {
  const numbers = pages.map(({ key }) => Number(/^new (\d+)$/.exec(key)?.[1] ?? 0))
  return `new ${Math.max(0, ...numbers) + 1}`
}

export default function PagesPart({ read }: PartProps) {
  return (
    <Stack gap="xl">
      <PageList read={read} />
      <Widget campaignId={read.settings.id} />
    </Stack>
  )
}

function PageList({ read }: PartProps) {
  const text = useWords(words)
  const edited = useEdited<Draft[]>(read, form)
  const { draft: pages, error, isChanged } = edited
  const [isSaved, setIsSaved] = useState(false)
  const [removing, setRemoving] = useState<Draft>()
  const change = (next: Draft[]) => {
    setIsSaved(false)
    edited.change(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    edited.save().then(
      () => setIsSaved(true),
      () => {},
    )
  }
  const put = (key: string, changes: Partial<Draft>) =>
    change(pages.map((page) => (page.key === key ? { ...page, ...changes } : page)))
  const add = () => change([...pages, { key: newKey(pages), pageUrl: '', proxyUrl: null, eligible: true }])
  const remove = (gone: Draft) => change(pages.filter(({ key }) => key !== gone.key))
  const faultAt = (path: string) => (error?.faults.some((fault) => fault.path === path) ? text.urlFault : undefined)
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed">{text.about}</Text>
        {pages.length === 0 && <Empty text={text.empty} />}
        {pages.map((page, index) => (
          <PageFields
            key={page.key}
            page={page}
            number={index + 1}
            faultAt={(name) => faultAt(`pages[${index}].${name}`)}
            onChange={(changes) => put(page.key, changes)}
            onRemove={() => (page.id === undefined ? remove(page) : setRemoving(page))}
            campaignId={read.settings.id}
            timeZone={read.settings.timeZone}
          />
        ))}
        <Behind of={edited} />
        <Group>
          <Button variant="default" onClick={add}>
            {text.add}
          </Button>
          <Button type="submit" loading={edited.isPending} disabled={!isChanged}>
            {text.save}
          </Button>
          {isChanged && (
            <Button variant="subtle" onClick={edited.discard}>
              {text.discard}
            </Button>
          )}
          <Text size="sm" c="dimmed" role="status">
            {isChanged ? text.unsaved : isSaved ? text.saved : ''}
          </Text>
        </Group>
      </Stack>
      <RemoveDialog of={removing} onClose={() => setRemoving(undefined)} onRemove={remove} />
    </form>
  )
}

type RemoveProps = { of: Draft | undefined; onClose(): void; onRemove(page: Draft): void }

/** A page that is saved may stand in mails that are under way. */
function RemoveDialog({ of, onClose, onRemove }: RemoveProps) {
  const text = useWords(words)
  return (
    <Confirm
      opened={of !== undefined}
      onClose={onClose}
      title={text.removeTitle}
      text={text.removeText}
      action={text.remove}
      isDangerous
      isPending={false}
      error={null}
      onConfirm={() => {
        if (of !== undefined) onRemove(of)
        onClose()
      }}
    />
  )
}

type FieldsProps = {
  page: Draft
  number: number
  faultAt(name: string): string | undefined
  onChange(changes: Partial<Draft>): void
  onRemove(): void
  campaignId: number
  timeZone: string
}

function PageFields({ page, number, faultAt, onChange, onRemove, campaignId, timeZone }: FieldsProps) {
  const text = useWords(words)
  return (
    <Paper withBorder p="md" component="fieldset" m={0} miw={0}>
      <Text component="legend" fw={600} px={4}>
        {text.page(number)}
      </Text>
      <Stack>
        <TextInput
          label={text.pageUrl}
          type="url"
          inputMode="url"
          placeholder="https://example.com/offer"
          required
          value={page.pageUrl}
          error={faultAt('pageUrl')}
          onChange={(event) => onChange({ pageUrl: event.currentTarget.value.trim() })}
        />
        <TextInput
          label={text.proxyUrl}
          description={text.proxyHint}
          inputMode="url"
          value={page.proxyUrl ?? ''}
          error={faultAt('proxyUrl')}
          onChange={(event) => onChange({ proxyUrl: event.currentTarget.value.trim() || null })}
        />
        <Checkbox
          label={text.eligible}
          description={text.eligibleHint}
          checked={page.eligible}
          onChange={(event) => onChange({ eligible: event.currentTarget.checked })}
        />
        <Group justify="space-between">
          {page.id === undefined ? <span /> : <Sighting {...{ campaignId, timeZone, pageId: page.id }} />}
          <Button variant="subtle" color="red" size="xs" onClick={onRemove}>
            {text.remove}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

function Sighting({ campaignId, pageId, timeZone }: { campaignId: number; pageId: number; timeZone: string }) {
  const text = useWords(words)
  const { data } = useAsk('GET /campaigns/:campaignId/sightings', { params: { campaignId } }, { staleMs: 5_000 })
  if (data === undefined) return null
  const seen = data.pages.find((page) => page.pageId === pageId)
  return (
    <Text size="sm" c="dimmed">
      {seen === undefined ? (
        text.neverSeen
      ) : (
        <>
          {text.seen}: <TimeText at={seen.seenAt} timeZone={timeZone} />
        </>
      )}
    </Text>
  )
}

function Widget({ campaignId }: { campaignId: number }) {
  const text = useWords(words)
  const { publicUrl } = useSession()
  return (
    <Stack>
      <Title order={2} size="h3">
        {text.widget}
      </Title>
      <Text>{text.widgetText}</Text>
      <CopyBlock name={text.snippet} text={widgetSnippet(publicUrl, campaignId)} />
      <Text>{text.offerText}</Text>
      <CopyBlock name={text.offerSnippet} text={offerExample(text.example, 'https://example.com/buy')} />
    </Stack>
  )
}
