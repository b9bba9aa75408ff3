import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { focusNextRow, toBeginning } from '../../../parts/next-row.ts'
import { RoleNote } from '../../../parts/role-note.tsx'
import { useMay, useSession } from '../../../session.ts'
import type { PartProps } from '../use-campaign.ts'
import { type Added, AddLead } from './add-lead.tsx'
import { ChosenBar, mostChosen } from './chosen-bar.tsx'
import { useHidden } from './erasing.ts'
import { ExportLeads } from './export-leads.tsx'
import { ImportLeads } from './import-leads.tsx'
import { hasImport } from './importing.ts'
import { LeadDrawer } from './lead-drawer.tsx'
import { LeadList } from './lead-list.tsx'
import { LookingThrough } from './looking-through.tsx'
import { Totals } from './totals.tsx'
import { type Filter, isInSteps, isNarrow, useLeads } from './use-leads.ts'
import { useWanted } from './wanted.ts'
import { words } from './words.ts'

type Doing = 'add' | 'import' | 'export' | null

/** Typing goes on for a moment before it is searched for. */
const pauseMs = 250

/** The leads of the campaign; one of them over the list, where the address names it. */
export default function LeadsPart({ read: { settings } }: PartProps) {
  const { ref } = useParams<{ ref?: string }>()
  const [, go] = useLocation()
  const [typed, setTyped] = useState('')
  const wanted = useWanted()
  const { state, sort, isAnywhere, page, query } = wanted
  const [searched] = useDebouncedValue(typed.trim(), pauseMs)
  const { id: campaignId } = settings
  // Somebody who left the screen in the middle of an import finds it again.
  const [doing, setDoing] = useState<Doing>(() => (hasImport(campaignId) ? 'import' : null))
  const [added, setAdded] = useState<Added | null>(null)
  const filter: Filter = { prefix: isAnywhere ? '' : searched, part: isAnywhere ? searched : '', state, sort }
  const list = `/campaigns/${campaignId}/leads`
  const type = (next: string) => {
    setTyped(next)
    if (page > 1) wanted.want({})
  }
  return (
    <Stack gap="md">
      <Totals settings={settings} state={state} onState={(next) => wanted.want({ state: next })} />
      <Toolbar typed={typed} onType={type} wanted={wanted} onDo={setDoing} />
      <ImportLeads
        {...{ settings, opened: doing === 'import' }}
        onOpen={() => setDoing('import')}
        onClose={() => setDoing(null)}
      />
      <Found key={JSON.stringify([state, sort, isAnywhere])} {...{ filter, settings, wanted }} onDo={setDoing} />
      <AddLead
        campaignId={campaignId}
        opened={doing === 'add'}
        onClose={() => setDoing(null)}
        onAdded={(registered) => {
          setDoing(null)
          setAdded(registered)
          go(`${list}/${registered.ref}${query}`)
        }}
      />
      <ExportLeads settings={settings} filter={filter} opened={doing === 'export'} onClose={() => setDoing(null)} />
      <LeadDrawer
        settings={settings}
        leadRef={ref}
        notice={added?.ref === ref ? added : null}
        onClose={() => {
          const focusRow = focusNextRow('leads', ref ?? '')
          setAdded(null)
          go(`${list}${query}`)
          focusRow()
        }}
      />
    </Stack>
  )
}

type WantedState = ReturnType<typeof useWanted>

type ToolbarProps = {
  typed: string
  onType(typed: string): void
  wanted: WantedState
  onDo(doing: Doing): void
}

function Toolbar({ typed, onType, wanted, onDo }: ToolbarProps) {
  const text = useWords(words)
  const may = useMay('member')
  const { suspended } = useSession().account
  const { sort, isAnywhere, want } = wanted
  // A search for a part goes by address alone.
  const isByAddress = isAnywhere && typed.trim() !== ''
  return (
    <Stack gap="xs">
      <Group align="end" gap="sm">
        <TextInput
          label={text.search}
          title={isAnywhere ? undefined : text.searchHint}
          value={typed}
          maxLength={254}
          autoComplete="off"
          spellCheck={false}
          miw="min(100%, 13.75rem)"
          flex={1}
          onChange={(event) => onType(event.currentTarget.value)}
        />
        <Select
          label={text.sort}
          data={[
            { value: 'email', label: text.sorts.email },
            { value: 'deadline', label: text.sorts.deadline },
            { value: '-deadline', label: text.sorts['-deadline'] },
          ]}
          value={isByAddress ? 'email' : sort}
          disabled={isByAddress}
          allowDeselect={false}
          w={{ base: '100%', xs: 190 }}
          onChange={(next) => want({ sort: next as typeof sort })}
        />
      </Group>
      <Group justify="space-between" gap="sm">
        <Checkbox
          label={text.anywhere}
          checked={isAnywhere}
          onChange={(event) => want({ isAnywhere: event.currentTarget.checked })}
        />
        {may && (
          <Group gap="xs">
            <Button px="sm" disabled={suspended} onClick={() => onDo('add')}>
              {text.add}
            </Button>
            <Button px="sm" variant="default" disabled={suspended} onClick={() => onDo('import')}>
              {text.import}
            </Button>
            <Button px="sm" variant="default" onClick={() => onDo('export')}>
              {text.export}
            </Button>
          </Group>
        )}
      </Group>
      <RoleNote needed="member">{text.onlyMembers}</RoleNote>
    </Stack>
  )
}

type FoundProps = {
  filter: Filter
  settings: PartProps['read']['settings']
  wanted: WantedState
  onDo(doing: Doing): void
}

function Found({ filter, settings, wanted, onDo }: FoundProps) {
  const text = useWords(words)
  const leads = useLeads(settings.id, filter, wanted.page)
  const may = useMay('member')
  const gone = useHidden()
  const [chosen, setChosen] = useState<string[]>([])
  const { failed, hasMore, isLooking, isPending } = leads
  const isThere = (ref: string) => !gone.includes(ref)
  const rows = leads.leads.filter(({ ref }) => isThere(ref))
  // One that is erased beside the list is selected no more.
  if (!chosen.every(isThere)) setChosen(chosen.filter(isThere))
  const isNobody = !isPending && leads.foundCount === 0 && !hasMore && !isLooking && failed.error === null
  const isBeyond = !isPending && leads.foundCount > 0 && leads.leads.length === 0 && !hasMore && !isLooking
  if (isNobody && !isNarrow(filter)) return <NobodyYet onDo={onDo} />
  const nobody = filter.part !== '' ? text.nobodyWithIt : text.nobodyFound
  return (
    <>
      <div>
        {isPending && <Waiting />}
        <div role="status">
          {isNobody && <Empty text={filter.state === null ? nobody : text.nobodyInState} />}
          {isBeyond && <Empty text={text.nobodyOnPage} />}
        </div>
        {rows.length > 0 && (
          <LeadList
            {...{ leads: rows, settings, isOld: leads.isOld, query: wanted.query, chosen }}
            onChoose={(refs) => setChosen(refs.slice(0, mostChosen))}
          />
        )}
      </div>
      <Failure of={failed} />
      {!isPending && (
        <LookingThrough
          {...{ leads, page: wanted.page }}
          isSteps={isInSteps(filter)}
          onPage={(page) => {
            wanted.want({ page })
            toBeginning()
          }}
        />
      )}
      {may && <ChosenBar {...{ chosen, settings, filter }} onDone={() => setChosen([])} />}
    </>
  )
}

function NobodyYet({ onDo }: Pick<FoundProps, 'onDo'>) {
  const text = useWords(words)
  const may = useMay('member')
  const { suspended } = useSession().account
  return (
    <Empty text={may ? `${text.nobodyYet} ${text.addOne}` : text.nobodyYet}>
      {may && (
        <Group gap="xs">
          <Button disabled={suspended} onClick={() => onDo('add')}>
            {text.add}
          </Button>
          <Button variant="default" disabled={suspended} onClick={() => onDo('import')}>
            {text.import}
          </Button>
        </Group>
      )}
    </Empty>
  )
}
