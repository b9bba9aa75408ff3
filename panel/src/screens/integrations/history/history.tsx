import './history.css'
import { Center, Loader, Stack, Text } from '@mantine/core'
import { useAsk } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { CsvExport } from './csv.tsx'
import { Entries } from './entries.tsx'
import { FilterBar } from './filters.tsx'
import { Overview } from './overview.tsx'
import { type Choices, useWanted } from './wanted.ts'
import { words } from './words.ts'

export default function HistoryPart() {
  const asked = useAsk('GET /history/choices', {}, { staleMs: 60_000 })
  if (asked.isError) return <Failure of={asked} />
  if (asked.isPending) return <Waiting />
  return <History choices={asked.data} />
}

function History({ choices }: { choices: Choices }) {
  const text = useWords(words)
  const state = useWanted(choices)
  const { filters, span, setSpan } = state
  const wanted = { filters, span }
  // What was asked for begins anew with other filters.
  const name = JSON.stringify(wanted)
  return (
    <Stack gap="lg">
      <Text c="dimmed" size="sm">
        {text.intro(choices.days)}
      </Text>
      <FilterBar choices={choices} wanted={state} />
      <Overview wanted={wanted} choices={choices} setSpan={setSpan} />
      <CsvExport key={`csv ${name}`} wanted={wanted} />
      <Entries key={name} wanted={wanted} choices={choices} />
    </Stack>
  )
}

function Waiting() {
  return (
    <Center mih={240} role="status" aria-label="…">
      <Loader />
    </Center>
  )
}
