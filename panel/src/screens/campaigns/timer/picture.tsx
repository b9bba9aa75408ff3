import { Button, Group, NativeSelect, Paper, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, type CallFailed, call } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { languageName, type MailLanguage } from '../../../parts/language-name.ts'
import type { Style } from './usual-style.ts'
import { words } from './words.ts'

const secondsLeft = { running: 2 * 86_400 + 13 * 3_600 + 7 * 60 + 42, hour: 41 * 60 + 30, expired: 0 }
type State = keyof typeof secondsLeft

/** A page as mail programs show it by day, and about what they make of a white one in dark mode. */
const mails = { light: '#ffffff', dark: '#1f1f1f' }
type Mail = keyof typeof mails

type Drawn = AnswerOf<'POST /timer-picture'>

/** The very bytes that a mail program gets, for a style that need not be saved; and what the service says to it. */
export function usePicture(style: Style, language: MailLanguage) {
  const [state, setState] = useState<State>('running')
  const [settled] = useDebouncedValue(style, 300)
  const query = useQuery<Drawn, CallFailed>({
    queryKey: ['picture', settled, language, state],
    queryFn: ({ signal }) =>
      call('POST /timer-picture', { body: { style: settled, language, secondsLeft: secondsLeft[state] } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    // Pictures have a limit for each minute, which is soon met by somebody who tries colours.
    retry: (_, { code }) => code === 'TOO_MANY_TRIES',
    retryDelay: (_, { retryAfterSeconds }) => (retryAfterSeconds ?? 1) * 1_000,
  })
  const isWrong = query.error?.code === 'INVALID'
  return {
    ...{ query, state, setState },
    waits: query.failureReason?.code === 'TOO_MANY_TRIES',
    faults: isWrong ? (query.error?.faults ?? []) : [],
    findings: isWrong ? [] : (query.data?.findings ?? []),
  }
}

type PictureProps = {
  style: Style
  of: ReturnType<typeof usePicture>
  language: MailLanguage
  languages: readonly MailLanguage[]
  setLanguage(language: MailLanguage): void
}

export function Picture({ style, of, language, languages, setLanguage }: PictureProps) {
  const text = useWords(words)
  const reader = useLanguage()
  const { query: picture, state, setState, faults, waits } = of
  const [mail, setMail] = useState<Mail>('light')
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
        <NativeSelect
          aria-label={text.language}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value as MailLanguage)}
          data={languages.map((value) => ({ value, label: languageName(reader, value) }))}
        />
        <SegmentedControl
          aria-label={text.mail}
          value={mail}
          onChange={(next) => setMail(next as Mail)}
          data={(Object.keys(mails) as Mail[]).map((value) => ({ value, label: text.mails[value] }))}
        />
        <Button variant="default" size="sm" onClick={() => setPlays((before) => before + 1)}>
          {text.repeat}
        </Button>
      </Group>
      <Paper withBorder p="md" bg={mails[mail]}>
        {picture.data === undefined ? (
          <Skeleton
            role="status"
            aria-label={text.drawing}
            {...{ h: 'auto', maw: style.width, mx: 'auto' }}
            style={{ aspectRatio: `${style.width} / ${style.height}` }}
          />
        ) : (
          <img
            // Drawn again, so that it plays from its first frame.
            key={`${plays} ${picture.dataUpdatedAt}`}
            src={picture.data.picture}
            width={style.width}
            height={style.height}
            alt={text.alt(text.states[state], languageName(reader, language))}
            style={{ maxWidth: '100%', height: 'auto', display: 'block', margin: '0 auto' }}
          />
        )}
      </Paper>
      {waits && (
        <Text size="sm" role="status">
          {text.waits}
        </Text>
      )}
      {faults.length === 0 && <Failure of={{ error: picture.error, refetch: picture.refetch }} />}
      <Text size="sm" c="dimmed">
        {text.note} {picture.data && text.size(Math.ceil(picture.data.bytes / 1_000))}
      </Text>
    </Stack>
  )
}
