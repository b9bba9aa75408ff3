import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { toast } from '../../../parts/toast.tsx'
import type { PartProps } from '../campaign.tsx'
import { type Added, AddLead } from './add-lead.tsx'
import { ExportLeads } from './export-leads.tsx'
import { ImportLeads } from './import-leads.tsx'
import { LeadDrawer } from './lead-drawer.tsx'
import { LeadList } from './lead-list.tsx'
import { LookingThrough } from './looking-through.tsx'
import { type Filter, type State, useLeads } from './use-leads.ts'
import { words } from './words.ts'

type Doing = 'add' | 'import' | 'export' | null

/** Typing goes on for a moment before it is searched for. */
const pauseMs = 250

/** The leads of the campaign; one of them over the list, where the address names it. */
export default function LeadsPart({ read: { settings } }: PartProps) {
  const text = useWords(words)
  const { ref } = useParams<{ ref?: string }>()
  const [, go] = useLocation()
  const [typed, setTyped] = useState('')
  const [prefix] = useDebouncedValue(typed.trim(), pauseMs)
  const [state, setState] = useState<State | null>(null)
  const [doing, setDoing] = useState<Doing>(null)
  const [added, setAdded] = useState<Added | null>(null)
  const { id: campaignId } = settings
  const leads = useLeads(campaignId, { prefix, state })
  const list = `/campaigns/${campaignId}/leads`
  return (
    <Stack gap="md">
      <Toolbar typed={typed} onType={setTyped} state={state} onState={setState} onDo={setDoing} />
      <Found leads={leads} filter={{ prefix, state }} settings={settings} onDo={setDoing} />
      <AddLead
        campaignId={campaignId}
        opened={doing === 'add'}
        onClose={() => setDoing(null)}
        onAdded={(registered) => {
          setDoing(null)
          setAdded(registered)
          go(`${list}/${registered.ref}`)
        }}
      />
      <ImportLeads settings={settings} opened={doing === 'import'} onClose={() => setDoing(null)} />
      <ExportLeads
        settings={settings}
        filter={{ prefix, state }}
        opened={doing === 'export'}
        onClose={() => setDoing(null)}
      />
      <LeadDrawer
        settings={settings}
        leadRef={ref}
        notice={added?.ref === ref ? added : null}
        onClose={() => {
          setAdded(null)
          go(list)
        }}
        onErased={() => {
          toast(text.erased)
          go(list)
        }}
      />
    </Stack>
  )
}

type ToolbarProps = {
  typed: string
  onType(typed: string): void
  state: State | null
  onState(state: State | null): void
  onDo(doing: Doing): void
}

function Toolbar({ typed, onType, state, onState, onDo }: ToolbarProps) {
  const text = useWords(words)
  const states = (['pending', 'scheduled', 'open', 'expired'] as const).map((value) => ({
    value,
    label: text.states[value],
  }))
  return (
    <Group align="end" gap="sm">
      <TextInput
        label={text.search}
        title={text.searchHint}
        value={typed}
        maxLength={254}
        autoComplete="off"
        spellCheck={false}
        miw={220}
        flex={1}
        onChange={(event) => onType(event.currentTarget.value)}
      />
      <Select
        label={text.state}
        data={[{ value: 'any', label: text.anyState }, ...states]}
        value={state ?? 'any'}
        allowDeselect={false}
        w={{ base: '100%', xs: 190 }}
        onChange={(next) => onState(next === 'any' ? null : (next as State))}
      />
      <Group gap="xs">
        <Button px="sm" onClick={() => onDo('add')}>
          {text.add}
        </Button>
        <Button px="sm" variant="default" onClick={() => onDo('import')}>
          {text.import}
        </Button>
        <Button px="sm" variant="default" onClick={() => onDo('export')}>
          {text.export}
        </Button>
      </Group>
    </Group>
  )
}

type FoundProps = {
  leads: ReturnType<typeof useLeads>
  filter: Filter
  settings: PartProps['read']['settings']
  onDo(doing: Doing): void
}

function Found({ leads, filter, settings, onDo }: FoundProps) {
  const text = useWords(words)
  const { leads: rows, failed, hasMore, isLooking, isPending } = leads
  const isNobody = !isPending && rows.length === 0 && !hasMore && !isLooking && failed.error === null
  const isAll = filter.prefix === '' && filter.state === null
  if (isNobody && isAll) {
    return (
      <Empty text={text.nobodyYet}>
        <Group gap="xs">
          <Button onClick={() => onDo('add')}>{text.add}</Button>
          <Button variant="default" onClick={() => onDo('import')}>
            {text.import}
          </Button>
        </Group>
      </Empty>
    )
  }
  return (
    <>
      {isPending && <Waiting />}
      {isNobody && <Empty text={filter.state === null ? text.nobodyFound : text.nobodyInState} />}
      {rows.length > 0 && <LeadList leads={rows} settings={settings} isOld={leads.isOld} />}
      <Failure of={failed} />
      {!isPending && <LookingThrough leads={leads} isByState={filter.state !== null} />}
    </>
  )
}
