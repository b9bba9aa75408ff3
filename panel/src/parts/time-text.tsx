import { Text, Tooltip } from '@mantine/core'
import { type Language, locales, useLanguage, useWords } from '../language.ts'
import { offsetText, ownZone, useClock, wallClock } from './local-time.ts'
import { words } from './words.ts'

type Shown = {
  at: string | number
  timeZone?: string | undefined
  withSeconds?: boolean
  /** Within a button nothing else can have the focus. */
  isInButton?: boolean
}

/** An instant (ISO text, or seconds) in a zone, which is named; on hover in the reader's own. */
export function TimeText({ at, timeZone, withSeconds = false, isInButton = false }: Shown) {
  const language = useLanguage()
  const { yourTime } = useWords(words)
  const seconds = typeof at === 'number' ? at : Date.parse(at) / 1_000
  const offset = useClock(timeZone ?? ownZone, seconds).offsetAt(seconds)
  const ownOffset = useClock(ownZone, seconds).offsetAt(seconds)
  return (
    <Tooltip
      // Within the page's main part, where screen readers look for it.
      portalProps={{ target: '#content' }}
      label={`${yourTime}: ${instantText(seconds, ownOffset, language, true)}`}
      events={{ hover: true, focus: true, touch: true }}
      // It stays while the pointer is on it, as on a magnified screen.
      interactive
    >
      <Text
        span
        inherit
        component="time"
        dateTime={new Date(seconds * 1_000).toISOString()}
        tabIndex={isInButton ? undefined : 0}
        // As wide as it will be: where it comes, nothing moves.
        style={offset === undefined ? { visibility: 'hidden' } : undefined}
      >
        {instantText(seconds, offset ?? 0, language, withSeconds)}
      </Text>
    </Tooltip>
  )
}

type Said = Omit<Shown, 'at'> & { at: number[]; say(...times: string[]): string }

/** A sentence with instants in it: `say` is given a mark for each, and the marks become times. */
export function TimesIn({ at, say, ...shown }: Said) {
  const marks = at.map((_, index) => `\u{e000}${index}\u{e001}`)
  const parts = say(...marks).split(/\u{e000}(\d+)\u{e001}/u)
  return parts.map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have their places.
    index % 2 === 0 ? part : <TimeText key={index} at={at[Number(part)] as number} {...shown} />,
  )
}

/** Empty as long as the offset is not known. */
function instantText(at: number, offset: number | undefined, language: Language, withSeconds: boolean): string {
  if (offset === undefined) return ''
  return `${formatOf(language, withSeconds).format(wallClock(at, offset))} ${offsetText(offset)}`
}

/** Making one takes many times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(language: Language, withSeconds: boolean): Intl.DateTimeFormat {
  const key = `${language} ${withSeconds}`
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(locales[language], {
      ...{ timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
      ...(withSeconds && { second: '2-digit' }),
    })
  formats.set(key, format)
  return format
}
