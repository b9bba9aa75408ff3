import { Anchor, Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAsk } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { AddressInput } from '../../../parts/address-input.tsx'
import { BusyButton } from '../../../parts/busy-button.tsx'
import { Confirm } from '../../../parts/confirm.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { focusNextRow, rowMark } from '../../../parts/next-row.ts'
import { MemberFields } from '../../../parts/role-note.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { useMay, useSession } from '../../../session.ts'
import { Behind } from '../clash.tsx'
import { faultInWords } from '../fault-words.ts'
import { SaveRow } from '../save-row.tsx'
import type { PartProps, Settings } from '../use-campaign.ts'
import { useEdited } from '../use-edited.ts'
import { WidgetKit } from './widget-kit.tsx'
import { words } from './words.ts'

/** A page as it is being written; new ones have no id yet. When a field comes or changes, see ../unsaved.ts. */
type Draft = Omit<Settings['pages'][number], 'id'> & { id?: number; key: string }

const form = {
  part: 'pages' as const,
  draftOf: ({ pages }: Settings): Draft[] => pages.map((page) => ({ ...page, key: `page ${page.id}` })),
  settingsOf: (drafts: Draft[]) => ({
    pages: drafts.map(({ key: _, ...page }) => page) as Settings['pages'],
  }),
  /** A page that was new has its id now. */
  follow: (later: Draft[], sent: Draft[], { pages }: Settings): Draft[] =>
    later.map((page) => {
      const saved = pages[sent.findIndex(({ key }) => key === page.key)]
      // First, as in what is saved: the two are compared as texts.
      return page.id === undefined && saved !== undefined ? { id: saved.id, ...page } : page
    }),
  /** A page that somebody else has removed is a new one again, and stands where new ones do: `follow` goes by that. */
  keepOver: (drafts: Draft[], { pages }: Settings): Draft[] => {
    const isThere = ({ id }: Draft) => pages.some((one) => one.id === id)
    const added = drafts.filter((page) => !isThere(page)).map(({ id: _, ...page }) => page)
    return [...drafts.filter(isThere), ...added]
  },
}

export default function PagesPart({ read }: PartProps) {
  return (
    <Stack gap="xl">
      <PageList read={read} />
      <WidgetKit campaignId={read.settings.id} />
    </Stack>
  )
}

function PageList({ read }: PartProps) {
  const text = useWords(words)
  const language = useLanguage()
  const edited = useEdited<Draft[]>(read, form)
  const { draft: pages, change, error } = edited
  const may = useMay('member')
  const [removing, setRemoving] = useState<Draft>()
  const put = (key: string, changes: Partial<Draft>) =>
    change(pages.map((page) => (page.key === key ? { ...page, ...changes } : page)))
  const add = () => {
    // Not the key of a page that was new when these were kept, either.
    const key = `new ${Date.now()}`
    change([...pages, { key, pageUrl: '', proxyUrl: null, eligible: true }])
    setTimeout(() => document.querySelector<HTMLElement>(`[data-row="${key}"] input`)?.focus())
  }
  const remove = (gone: Draft) => {
    const focusNext = focusNextRow('pages', gone.key)
    change(pages.filter(({ key }) => key !== gone.key))
    focusNext()
  }
  const faultAt = (path: string) => {
    const message = error?.faults.find((fault) => fault.path === path)?.message
    return message && faultInWords(language, message)
  }
  const others = error?.faults.filter(({ path }) => !/^pages\[\d+\]\.(pageUrl|proxyUrl)$/.test(path)) ?? []
  // It would say to look at what is marked.
  const isMarked = others.length === 0 || others.length !== error?.faults.length
  return (
    <form onSubmit={edited.submit}>
      <Stack>
        <Text c="dimmed">{text.about}</Text>
        {pages.length === 0 && <Empty text={may ? `${text.empty} ${text.addFirst}` : text.empty} />}
        {pages.map((page, index) => (
          <PageFields
            key={page.key}
            page={page}
            number={index + 1}
            faultAt={(name) => faultAt(`pages[${index}].${name}`)}
            onChange={(changes) => put(page.key, changes)}
            onRemove={() => (page.id === undefined ? remove(page) : setRemoving(page))}
            settings={read.settings}
          />
        ))}
        <Behind of={{ ...edited, error: isMarked ? error : null }} />
        {others.map(({ path, message }) => (
          <Text key={path} size="sm" c="var(--mantine-color-error)" role="alert">
            {faultInWords(language, message)}
          </Text>
        ))}
        <SaveRow
          of={edited}
          name={text.save}
          before={
            <Button variant="default" disabled={!may} onClick={add}>
              {text.add}
            </Button>
          }
        />
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
  settings: Settings
}

function PageFields({ page, number, faultAt, onChange, onRemove, settings }: FieldsProps) {
  const text = useWords(words)
  const may = useMay('member')
  return (
    <Paper withBorder p="md" component="fieldset" m={0} miw={0} {...rowMark('pages', page.key)}>
      <Text component="legend" fw={600} px={4}>
        {text.page(number)}
      </Text>
      <Stack>
        <MemberFields>
          <Stack>
            <AddressInput
              label={text.pageUrl}
              placeholder="https://example.com/offer"
              required
              value={page.pageUrl}
              error={faultAt('pageUrl')}
              onChange={(pageUrl) => onChange({ pageUrl })}
            />
            <AddressInput
              label={text.proxyUrl}
              description={text.proxyHint}
              value={page.proxyUrl ?? ''}
              error={faultAt('proxyUrl')}
              onChange={(address) => onChange({ proxyUrl: address || null })}
            />
            <Checkbox
              label={text.eligible}
              description={text.eligibleHint}
              checked={page.eligible}
              onChange={(event) => onChange({ eligible: event.currentTarget.checked })}
            />
          </Stack>
        </MemberFields>
        <Group justify="space-between">
          {page.id === undefined ? <span /> : <Sighting page={page} settings={settings} />}
          {may && (
            <Button variant="subtle" color="red" size="xs" onClick={onRemove}>
              {text.remove}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}

/** What the widget last told of the page; the reader may ask again, once they have opened it. */
function Sighting({ page, settings }: { page: Draft; settings: Settings }) {
  const text = useWords(words)
  const { id: campaignId, timeZone, isDraft } = settings
  const { countdownTools, suspended } = useSession().account
  const unseen = isDraft ? text.ofDraft : countdownTools ? undefined : text.toolsOff
  const asked = { params: { campaignId } }
  const route = 'GET /campaigns/:campaignId/sightings'
  const { data, error, refetch } = useAsk(route, asked, { staleMs: 5_000 })
  const [isChecked, setIsChecked] = useState(false)
  const seen = data?.pages.find(({ pageId }) => pageId === page.id)
  const [isChecking, setIsChecking] = useState(false)
  const check = async () => {
    setIsChecking(true)
    await refetch()
    setIsChecking(false)
    setIsChecked(true)
  }
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed" role="status">
        {/* As high as it will be: where it comes, nothing moves. */}
        {data === undefined && '…'}
        {data !== undefined && seen === undefined && text.neverSeen}
        {seen !== undefined && (
          <>
            {text.seen}: <TimeText at={seen.seenAt} timeZone={timeZone} />
          </>
        )}
        {isChecked &&
          unseen === undefined &&
          !suspended &&
          error === null &&
          data !== undefined &&
          seen === undefined &&
          ` ${text.checkHint}`}
      </Text>
      {unseen !== undefined && (
        <Text size="sm" c="dimmed">
          {unseen}
        </Text>
      )}
      <Group gap="sm">
        <BusyButton size="xs" isBusy={isChecking} onClick={check}>
          {text.check}
        </BusyButton>
        <Anchor href={page.pageUrl} target="_blank" rel="noreferrer" size="sm">
          {text.openPage}
        </Anchor>
      </Group>
      {(isChecked || data === undefined) && <Failure of={{ error }} />}
    </Stack>
  )
}
