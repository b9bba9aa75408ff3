import { Box, Button, Group, Paper, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, type CallFailed, call } from '../../../api.ts'
import { type Language, languages, useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import type { Style } from './timer.tsx'
import { words } from './words.ts'

const secondsLeft = { running: 2 * 86_400 + 13 * 3_600 + 7 * 60 + 42, hour: 41 * 60 + 30, expired: 0 }
type State = keyof typeof secondsLeft

type Drawn = AnswerOf<'POST /timer-picture'>

/** The very bytes that a mail program gets, for a style that need not be saved; and what the service says to it. */
export function usePicture(style: Style) {
  const [language, setLanguage] = useState<Language>(useLanguage())
  const [state, setState] = useState<State>('running')
  const [settled] = useDebouncedValue(style, 300)
  const query = useQuery<Drawn, CallFailed>({
    queryKey: ['picture', settled, language, state],
    queryFn: ({ signal }) =>
      call('POST /timer-picture', { body: { style: settled, language, secondsLeft: secondsLeft[state] } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const isWrong = query.error?.code === 'INVALID'
  return {
    ...{ query, language, setLanguage, state, setState },
    faults: isWrong ? (query.error?.faults ?? []) : [],
    findings: isWrong ? [] : (query.data?.findings ?? []),
  }
}

export function Picture({ style, of }: { style: Style; of: ReturnType<typeof usePicture> }) {
  const text = useWords(words)
  const { query: picture, language, setLanguage, state, setState, faults } = of
  const [plays, setPlays] = useState(0)
  return (
    <Stack>
      <Title order={2} size="h3">
        {text.picture}
      </Title>
      <Group>
        <SegmentedControl
          aria-label={text.state}
          value={state}
          onChange={(next) => setState(next as State)}
          data={(Object.keys(secondsLeft) as State[]).map((value) => ({ value, label: text.states[value] }))}
        />
        <SegmentedControl
          aria-label={text.language}
          value={language}
          onChange={(next) => setLanguage(next as Language)}
          data={languages.map((value) => ({ value, label: text.languages[value] }))}
        />
        <Button variant="default" size="sm" onClick={() => setPlays((before) => before + 1)}>
          {text.repeat}
        </Button>
      </Group>
      <Paper withBorder p="md" bg={style.background}>
        <Box mih={style.height} style={{ textAlign: 'center' }}>
          {picture.data === undefined ? (
            <Skeleton role="status" aria-label={text.drawing} h={style.height} maw={style.width} mx="auto" />
          ) : (
            <img
              // Drawn anew, so that it plays from its first frame.
              key={`${plays} ${picture.dataUpdatedAt}`}
              src={picture.data.picture}
              width={style.width}
              height={style.height}
              alt={text.alt(text.states[state], text.languages[language])}
              style={{ maxWidth: '100%', height: 'auto' }}
            />
          )}
        </Box>
      </Paper>
      {faults.length === 0 && <Failure of={{ error: picture.error, refetch: picture.refetch }} />}
      <Text size="sm" c="dimmed">
        {text.note}
      </Text>
    </Stack>
  )
}
