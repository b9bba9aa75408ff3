import { Text, Tooltip } from '@mantine/core'
import { useLanguage, useWords } from '../language.ts'
import { words } from './words.ts'

type Shown = {
  at: string | number
  timeZone?: string | undefined
  withSeconds?: boolean
  /** Within a button nothing else can have the focus. */
  isInButton?: boolean
}

/** The reader's zone when the page was loaded: asking takes longer than all the rest of a time. */
const own = Intl.DateTimeFormat().resolvedOptions().timeZone

/** An instant (ISO text, or seconds) in a zone, which is named; on hover in the reader's own. */
export function TimeText({ at, timeZone, withSeconds = false, isInButton = false }: Shown) {
  const language = useLanguage()
  const { yourTime } = useWords(words)
  const date = new Date(typeof at === 'number' ? at * 1_000 : at)
  const text = instantText(date, timeZone ?? own, language, withSeconds)
  return (
    <Tooltip
      // Within the page's main part, where screen readers look for it.
      portalProps={{ target: '#content' }}
      label={`${yourTime}: ${instantText(date, own, language, true)}`}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Text span inherit component="time" dateTime={date.toISOString()} tabIndex={isInButton ? undefined : 0}>
        {text}
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

function instantText(date: Date, timeZone: string, language: string, withSeconds = false): string {
  return formatOf(timeZone, language, withSeconds).format(date)
}

/** Making one takes many times as long as using it. There are no more than zones that the reader looks at. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string, language: string, withSeconds: boolean): Intl.DateTimeFormat {
  const key = `${timeZone} ${language} ${withSeconds}`
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      ...{ timeZone, weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
      ...(withSeconds && { second: '2-digit' }),
    })
  formats.set(key, format)
  return format
}
