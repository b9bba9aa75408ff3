import {
  anything,
  type Check,
  choice,
  type Fault,
  firstFaults,
  flag,
  isObject,
  join,
  list,
  nameOf,
  nullOr,
  optional,
  record,
  refuse,
  valid,
  variant,
  wholeNumber,
} from './fault.ts'
import { type MailLanguage, mailLanguages } from './mail-language.ts'
import { checkSchedule } from './mechanism/check-schedule.ts'
import type { Mechanism, Schedule } from './mechanism/settings.ts'
import { checkTimerStyle, type GivenTimerStyle } from './timer-style.ts'
import { mostAddressCharacters, unencodedIn, unseenIn, webAddress } from './web-address.ts'

/** A campaign as its file describes it, with everything that was left out filled in. */
export type CampaignSettings = Schedule & {
  id?: number
  name: string
  isDraft: boolean
  /** The language of its mails: deadline in words, HTML, countdown image. Not the `language` of an API request. */
  language: MailLanguage
  anonymous: { enabled: boolean }
  /** Whether a purchase ends the offer of the lead who bought. */
  conversion: { closes: boolean }
  onExpiry: OnExpiry
  pages: PageSettings[]
  /** The style as it was given; null: no mail timer. */
  mailTimer: GivenTimerStyle | null
}

type OnExpiry = { action: 'HIDE' } | { action: 'ZERO' } | { action: 'REDIRECT'; redirectUrl: string }

/** `proxyUrl` is where the CTA link redirects to instead of the page itself. */
export type PageSettings = { id?: number; pageUrl: string; proxyUrl: string | null; eligible: boolean }

const MOST_PAGES = 100
const MOST_NAME_CHARACTERS = 200

const id = wholeNumber(1)

const url: Check<string> = (value, path, faults) => {
  const written = typeof value === 'string' ? value : ''
  const address = webAddress(written)
  if (address !== undefined) return address
  const unseen = unseenIn(written)
  if (unseen !== undefined) return refuse(faults, path, `must be without the invisible character U+${unseen}`)
  const character = unencodedIn(written)
  if (character === '%') {
    return refuse(faults, path, 'must have "%25" in place of a "%" without two hexadecimal digits after it')
  }
  if (character !== undefined) {
    return refuse(faults, path, `must have "${encodeURIComponent(character)}" in place of "${character}"`)
  }
  return refuse(
    faults,
    path,
    `must be an absolute https: or http: URL of at most ${mostAddressCharacters} characters, counted as encoded, without user name or password`,
  )
}

const pages = list(
  record<PageSettings>({
    id: optional(id),
    pageUrl: url,
    proxyUrl: optional(nullOr(url), null),
    eligible: optional(flag, true),
  }),
  MOST_PAGES,
)

const onExpiry = variant<OnExpiry, 'action'>('action', { HIDE: {}, ZERO: {}, REDIRECT: { redirectUrl: url } })

/** `timeZone` and `mechanism` are not checked here, but together, as one schedule. */
const besidesSchedule = record<Omit<CampaignSettings, keyof Schedule> & { [K in keyof Schedule]?: unknown }>({
  id: optional(id),
  name: nameOf(MOST_NAME_CHARACTERS),
  isDraft: optional(flag, true),
  language: optional<MailLanguage>(choice(mailLanguages), 'en'),
  timeZone: optional(anything),
  mechanism: optional(anything),
  anonymous: optional(record<{ enabled: boolean }>({ enabled: flag }), { enabled: false }),
  conversion: optional(record<{ closes: boolean }>({ closes: flag }), { closes: false }),
  onExpiry: optional<OnExpiry>(onExpiry, { action: 'HIDE' }),
  pages: optional(eachIdOnce(pages), []),
  mailTimer: optional(nullOr(checkTimerStyle), null),
})

/** Reads a campaign file. Either everything is right, or its first faults are named. */
export function checkCampaign(value: unknown): { campaign: CampaignSettings } | { faults: Fault[] } {
  const faults: Fault[] = []
  const settings = besidesSchedule(value, '', faults)
  if (!isObject(value)) return { faults: firstFaults(faults) }
  const schedule = checkSchedule(value, faults)
  if (settings === undefined || schedule === undefined) return { faults: firstFaults(faults) }
  return { campaign: { ...settings, ...schedule } }
}

/** Campaign types by id, as the API names them. */
export const campaignTypes: Readonly<Record<number, string>> = {
  1: 'Fixed date',
  2: 'Evergreen',
  3: 'Recurring',
}

const typeOfKind = { fixed: 1, after: 2, daysAt: 2, none: 2, next: 3 } as const

/** The type of a campaign with these rules. */
export const typeIdOf = ({ deadline }: Mechanism): 1 | 2 | 3 => typeOfKind[deadline.kind]

type Listed = { id: number; name: string; typeId: number; isDraft: boolean }

/** As the API lists it. */
export function campaignItem({ id, name, typeId, isDraft }: Listed) {
  return { id, name, type: { id: typeId, name: campaignTypes[typeId] as string }, isDraft }
}

function eachIdOnce(pages: Check<PageSettings[]>): Check<PageSettings[]> {
  return (value, path, faults) => {
    const kept = pages(value, path, faults)
    const given = Array.isArray(value) && value.length <= MOST_PAGES ? value : []
    const ids = given.map((page) => valid(page, 'id', id))
    for (const [index, pageId] of ids.entries()) {
      if (pageId === undefined || ids.indexOf(pageId) === index) continue
      refuse(faults, join(join(path, index), 'id'), 'must not be the id of another page of the campaign')
    }
    return kept
  }
}
