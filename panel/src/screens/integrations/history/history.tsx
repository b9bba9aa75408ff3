import './history.css'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAsk } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { focusScreen } from '../../../parts/next-row.ts'
import { CsvExport } from './csv.tsx'
import { Entries } from './entries.tsx'
import { FilterBar } from './filters.tsx'
import { Overview } from './overview.tsx'
import { type Choices, isNarrowed, useWanted } from './wanted.ts'
import { words } from './words.ts'

export default function HistoryPart() {
  const asked = useAsk('GET /history/choices', {}, { staleMs: 60_000 })
  if (asked.isLoadingError) return <Failure of={asked} />
  if (asked.isPending) return <Waiting />
  const aheadMs = asked.dataUpdatedAt - asked.data.now * 1_000
  return <History choices={{ ...asked.data, aheadMs }} />
}

function History({ choices }: { choices: Choices }) {
  const text = useWords(words)
  const state = useWanted(choices)
  const { filters, span, setSpan } = state
  const [isIdWrong, setIdWrong] = useState(false)
  const [cleared, setCleared] = useState(0)
  const clear = () => {
    state.clear()
    // What was typed and is no filter yet goes as well.
    setCleared(cleared + 1)
    focusScreen()
  }
  const wanted = { filters, span }
  // What was asked for begins again with other filters.
  const name = JSON.stringify(wanted)
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="xs" mih={26}>
        <Text c="dimmed" size="sm">
          {text.intro(choices.days)}
        </Text>
        {(isNarrowed(wanted) || isIdWrong) && (
          <Button size="compact-sm" variant="default" onClick={clear}>
            {text.clear}
          </Button>
        )}
      </Group>
      <FilterBar key={cleared} choices={choices} wanted={state} onWrong={setIdWrong} />
      <Overview wanted={wanted} choices={choices} setSpan={setSpan} />
      <Stack gap="xs">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h4">
            {text.list}
          </Title>
          <CsvExport key={`csv ${name}`} wanted={wanted} />
        </Group>
        <Entries key={name} wanted={wanted} choices={choices} />
      </Stack>
    </Stack>
  )
}
