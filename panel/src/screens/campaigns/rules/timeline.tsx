// One story of what happens to somebody: as a bar for the eye, and as a list for everyone.
import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLanguage, useWords } from '../../../language.ts'
import { TimesIn, TimeText } from '../../../parts/time-text.tsx'
import { type Step, type Story, spanInWords, words } from './preview-words.ts'

type State = Step['offer']['state']

/** From the first step of these stories to a little after the last, in seconds. */
export function lengthOf(stories: Story[]): number {
  const instants = stories.flatMap((story) => story.steps.map((step) => step.at))
  const length = Math.max(...instants) - Math.min(...instants)
  return length + Math.max(3_600, Math.round(length * 0.08))
}

/** The stories of one moment, each with its name where there are several, all on a bar of so many seconds. */
export function Bars({ stories, seconds }: { stories: Story[]; seconds: number }) {
  const text = useWords(words)
  const from = Math.min(...stories.flatMap((story) => story.steps.map((step) => step.at)))
  return stories.map((story) => (
    <div key={story.who}>
      {stories.length > 1 && <Text size="xs">{text.who[story.who]}</Text>}
      <Bar story={story} extent={{ from, until: from + seconds }} />
    </div>
  ))
}

/** Heights in pixels, lengths in per cent of the width. */
function Bar({ story, extent }: { story: Story; extent: { from: number; until: number } }) {
  const place = (at: number) => ((at - extent.from) / (extent.until - extent.from)) * 100
  const { steps } = story
  return (
    <svg className="bar" aria-hidden="true">
      {steps.map(({ at, offer }, index) => {
        const until = steps[index + 1]?.at ?? extent.until
        return <Span key={key(steps, index)} state={offer.state} from={place(at)} until={place(until)} />
      })}
      {steps.map(({ at, what }, index) => (
        <Mark key={key(steps, index)} what={what} at={place(at)} />
      ))}
    </svg>
  )
}

const key = (steps: Step[], index: number) => `${index} ${steps[index]?.what}`

function Span({ state, from, until }: { state: State; from: number; until: number }) {
  const width = `${Math.max(0, until - from)}%`
  if (state === 'expired') return <rect className="expired" x={`${from}%`} width={width} y={12} height={2} />
  return <rect className={state} x={`${from}%`} width={width} y={6} height={14} rx={3} />
}

function Mark({ what, at }: { what: Step['what']; at: number }) {
  if (what === 'ends') return <line className="end" x1={`${at}%`} x2={`${at}%`} y1={1} y2={25} />
  if (what === 'opens' || what === 'comesAgain') return null
  return <circle className="comes" cx={`${at}%`} cy={13} r={5} />
}

export function Legend({ seconds }: { seconds: number }) {
  const text = useWords(words)
  const language = useLanguage()
  return (
    <Group gap="md" component="ul" aria-label={text.legend} p={0} m={0} style={{ listStyle: 'none' }}>
      {(['open', 'scheduled', 'pending', 'expired'] as const).map((state) => (
        <Entry key={state} name={text.states[state]}>
          <Span state={state} from={0} until={100} />
        </Entry>
      ))}
      <Entry name={text.comes}>
        <Mark what="registers" at={50} />
      </Entry>
      <Entry name={text.steps.ends}>
        <Mark what="ends" at={50} />
      </Entry>
      <Text component="li" size="xs">
        {text.scale(spanInWords(language, seconds))}
      </Text>
    </Group>
  )
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group component="li" gap={6} wrap="nowrap">
      <svg className="bar" style={{ width: 22, margin: 0 }} aria-hidden="true">
        {children}
      </svg>
      <Text size="xs">{name}</Text>
    </Group>
  )
}

export function StepList({ story, timeZone }: { story: Story; timeZone: string }) {
  const text = useWords(words)
  return (
    <Stack gap={2}>
      <ol className="steps">
        {story.steps.map((step, index) => (
          <li key={key(story.steps, index)}>
            <TimeText at={step.at} timeZone={timeZone} /> – {text.steps[step.what]}
            <Consequence step={step} before={story.steps[index - 1]} timeZone={timeZone} />
          </li>
        ))}
      </ol>
      {story.goesOn && (
        <Text size="sm" c="dimmed" pl={20}>
          {text.goesOn}
        </Text>
      )}
    </Stack>
  )
}

type ConsequenceProps = { step: Step; before: Step | undefined; timeZone: string }

/** What the offer is from this step on, where the step does not say so itself. */
function Consequence({ step, before, timeZone }: ConsequenceProps) {
  const text = useWords(words)
  const { state, opensAt, deadline } = step.offer
  if (step.what === 'ends' || step.what === 'opens') return null
  const isSame = step.what === 'resets' && before?.offer.deadline === deadline
  const said = (at: number, say: (when: string) => string) => <TimesIn at={[at]} say={say} timeZone={timeZone} />
  const consequences: Record<State, () => ReactNode> = {
    pending: () => text.pending,
    scheduled: () => said(opensAt ?? step.at, text.scheduled),
    open: () => (isSame ? text.unchanged : deadline === null ? text.endless : said(deadline, text.until)),
    expired: () => text.expired,
  }
  return <>: {consequences[state]()}</>
}

/** The first time that the offer is open, in one line; stands in a button. */
export function Headline({ story, timeZone }: { story: Story; timeZone: string }) {
  const text = useWords(words)
  const language = useLanguage()
  const first = story.steps.find(({ offer }) => offer.state === 'open' || offer.state === 'scheduled')
  if (first === undefined) return text.never
  const { opensAt, deadline } = first.offer
  const from = Math.max(first.at, opensAt ?? first.at)
  const isLater = from > (story.steps[0]?.at ?? from)
  const said = (at: number[], say: (...when: string[]) => string) => (
    <TimesIn at={at} say={say} timeZone={timeZone} isInButton />
  )
  if (deadline === null) return isLater ? said([from], (opens = '') => text.openFromEndless(opens)) : text.openEndless
  if (deadline <= from) return text.never
  const long = spanInWords(language, deadline - from)
  return isLater
    ? said([from, deadline], (opens = '', ends = '') => text.openFrom(opens, ends, long))
    : said([deadline], (ends = '') => text.open(ends, long))
}
