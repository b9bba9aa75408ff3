// What the service found about the settings, shown beside the setting that it is about.
import { Stack, Text } from '@mantine/core'
import { createContext, type ReactNode, use, useId } from 'react'
import { useLanguage, useWords } from '../../../language.ts'
import { TimesIn } from '../../../parts/time-text.tsx'
import { settingName } from '../clash-words.ts'
import { faultInWords } from '../fault-words.ts'
import { type LintFinding, lintWords, unfairWords } from './lint-words.ts'

type Fault = { path: string; message: string }

/** The settings beside which something is said; the compiler sees that no sentence takes another. */
const places = [
  ...(['name', 'timeZone', 'language', 'anonymous', 'conversion', 'onExpiry'] as const),
  ...(['mechanism.startsOn', 'mechanism.endsAt', 'mechanism.reset', 'mechanism.retry'] as const),
  ...(['mechanism.cycle', 'mechanism.deadline.kind', 'mechanism.deadline.at'] as const),
  ...(['mechanism.deadline.opensAt', 'mechanism.deadline.period', 'mechanism.deadline.days'] as const),
  ...(['mechanism.deadline.time', 'mechanism.deadline.closes', 'mechanism.deadline.minLead'] as const),
  ...(['mechanism.deadline.opens', 'mechanism.deadline.skipWeekdays'] as const),
  'mechanism.deadline.skipDates' as const,
]
type Place = (typeof places)[number]

type Findings = { faults: Fault[]; findings: LintFinding[]; timeZone: string }

export const FindingsContext = createContext<Findings>({ faults: [], findings: [], timeZone: 'UTC' })

const isAt = (path: string, place: string) =>
  path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`)

/** What is about no setting of this screen. */
export function elsewhere<One extends { path: string }>(found: One[]): One[] {
  return found.filter(({ path }) => !places.some((place) => isAt(path, place)))
}

/** Whether this very setting is wrong. */
export function useIsWrong(): (path: string) => boolean {
  const { faults } = use(FindingsContext)
  return (path) => faults.some((fault) => isAt(fault.path, path))
}

/** Words and fields that are read as one sentence; below, what is wrong with it and what may surprise. */
export function Sentence({ at, hint, children }: { at: Place[]; hint?: string; children: ReactNode }) {
  const { faults, findings } = use(FindingsContext)
  const id = useId()
  const wrong = faults.filter(({ path }) => at.some((place) => isAt(path, place)))
  const odd = findings.filter(({ path }) => at.some((place) => isAt(path, place)))
  const says = wrong.length > 0 || odd.length > 0 || hint !== undefined
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would want a legend, and is read as a form of its own.
    <div role="group" aria-describedby={says ? id : undefined}>
      <div className="sentence">{children}</div>
      {says && (
        <Stack gap={6} mt={6} id={id}>
          <Faults of={wrong} />
          {hint !== undefined && (
            <Text size="xs" c="dimmed">
              {hint}
            </Text>
          )}
          <LintFindings of={odd} />
        </Stack>
      )}
    </div>
  )
}

export function Faults({ of }: { of: Fault[] }) {
  const language = useLanguage()
  const said = new Set(of.map(({ message }) => faultInWords(language, message)))
  return [...said].map((words) => (
    <Text key={words} size="sm" c="var(--mantine-color-error)">
      {words}
    </Text>
  ))
}

/** With `names` each says which setting it is about: for where it does not stand beside that. */
export function LintFindings({ of, names }: { of: LintFinding[]; names?: Record<string, string> }) {
  const words = useWords(lintWords)
  const { title, law } = useWords(unfairWords)
  const { timeZone } = use(FindingsContext)
  return of.map(({ code, path, isUnfair, at }) => (
    <div key={`${code} ${path}`} className="finding" data-unfair={isUnfair || undefined}>
      {names && <Text size="xs">{settingName(path, names)}</Text>}
      {isUnfair && (
        <Text size="sm" fw={600}>
          {title}
        </Text>
      )}
      <Text size="sm">
        <TimesIn at={at === null ? [] : [at]} say={(when = '') => words[code](when)} timeZone={timeZone} />
      </Text>
      {isUnfair && (
        <Text size="xs" mt={4}>
          {law}
        </Text>
      )}
    </div>
  ))
}
