import { Button, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { type Language, locales, useLanguage, useWords } from '../../../language.ts'
import { useClock, wallClock } from '../../../parts/local-time.ts'
import { TimeText } from '../../../parts/time-text.tsx'
import type { Settings } from '../use-campaign.ts'
import type { WholeLead } from './drawer-section.tsx'
import { mayBePurchase } from './lead-list.tsx'
import classes from './leads.module.css'
import { words } from './words.ts'

const daysShown = 20
const kinds = ['visit', 'click', 'open'] as const
const fetchers = ['person', 'proxy', 'scanner'] as const

type Day = WholeLead['days'][number]

/** `place` is the local date, and where on it: counts of a day have no time. */
type Entry = { place: string; kind: 'event' | 'counts' | 'ahead'; when: ReactNode; what: string }

/** What happened to the lead and what the lead did, in order; what is to come stands at the end. */
export function LeadTimeLine({ lead, settings }: { lead: WholeLead; settings: Settings }) {
  const text = useWords(words)
  const language = useLanguage()
  const [showsAll, setShowsAll] = useState(false)
  const line = useRef<HTMLOListElement>(null)
  const showAll = () => {
    setShowsAll(true)
    // The button goes, and with it the focus.
    line.current?.focus({ preventScroll: true })
  }
  const hidden = showsAll ? 0 : Math.max(0, lead.days.length - daysShown)
  const counted = lead.days.slice(hidden).map((day) => ({
    ...{ place: `${day.date} 1`, kind: 'counts' as const, what: countsText(day, text) },
    when: <time dateTime={day.date}>{dateText(day.date, language)}</time>,
  }))
  const entries = [...useEvents(lead, settings, text), ...counted].sort((a, b) => (a.place < b.place ? -1 : 1))
  return (
    <Stack gap="sm">
      {hidden > 0 && (
        <Button variant="default" size="xs" onClick={showAll} style={{ alignSelf: 'start' }}>
          {text.earlier(hidden)}
        </Button>
      )}
      <ol className={classes.line} ref={line} tabIndex={-1}>
        {entries.map(({ place, kind, when, what }) => (
          <li key={`${place} ${what}`} data-kind={kind}>
            <Text size="sm" fw={500}>
              {what}
            </Text>
            <Text size="sm" c="dimmed" component="div">
              {when}
            </Text>
          </li>
        ))}
      </ol>
      {lead.days.length > 0 && (
        <Text size="xs" c="dimmed">
          {text.countsNote}
        </Text>
      )}
    </Stack>
  )
}

function useEvents(lead: WholeLead, settings: Settings, { events }: (typeof words)['en']): Entry[] {
  const { timeZone } = settings
  const byHand = mayBePurchase(lead, settings) ? events.byHandOrPurchase : events.byHand
  const now = Date.now() / 1_000
  // Near enough also of a decade far away: it says only in which order days stand.
  const { offsetAt } = useClock(timeZone)
  const { registeredAt, anchorAt, setByHandAt, deadline } = lead
  const opensAt = opensLater(lead)
  const all: [at: number | null, rank: number, before: string, ahead: string][] = [
    [registeredAt, 0, events.registered, events.registered],
    [anchorAt, 0, events.began(lead.attempt), events.began(lead.attempt)],
    [opensAt, 0, events.opened, events.opens],
    [setByHandAt, 0, byHand, byHand],
    [deadline, 2, events.ended, events.ends],
  ]
  const known = all.flatMap(([at, ...rest]) => (at === null ? [] : [[at, ...rest] as const]))
  return known.map(([at, rank, before, ahead], index): Entry => {
    const isAhead = at > now
    const date = wallClock(at, offsetAt(at) ?? 0)
      .toISOString()
      .slice(0, 10)
    return {
      place: `${date} ${rank} ${String(at).padStart(12, '0')} ${index}`,
      kind: isAhead ? 'ahead' : 'event',
      when: <TimeText at={at} timeZone={timeZone} />,
      what: isAhead ? ahead : before,
    }
  })
}

/** When the offer opens, where that is not at once. */
export function opensLater({ opensAt, anchorAt }: WholeLead): number | null {
  return opensAt === null || (anchorAt !== null && opensAt <= anchorAt) ? null : opensAt
}

function countsText(day: Day, text: (typeof words)['en']): string {
  const parts = kinds.flatMap((kind) =>
    fetchers.map((fetcher) => {
      const count = day[kind][fetcher]
      return count === 0 ? '' : text.fetchers[fetcher](text.counts[kind](count))
    }),
  )
  return parts.filter((part) => part !== '').join(', ')
}

/** A day of the campaign's zone, which is no instant. */
function dateText(date: string, language: Language): string {
  const form = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locales[language], form).format(new Date(date))
}
