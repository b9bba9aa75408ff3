// What the editor holds while somebody types: fields may be empty, and what is switched off keeps what it had.
import type { MailLanguage } from '../../../parts/language-name.ts'
import type { Settings, Whole } from '../use-campaign.ts'

type Mechanism = Settings['mechanism']
type Deadline = Mechanism['deadline']
type Of<Kind extends Deadline['kind']> = Extract<Deadline, { kind: Kind }>
type Recurrence = Of<'next'>['closes']
type Block = { enabled: boolean; max?: number } | undefined

export type Kind = Deadline['kind']
export type Weekday = NonNullable<Of<'daysAt'>['skipWeekdays']>[number]
export type StartsOn = Mechanism['startsOn']
export type Action = Settings['onExpiry']['action']

export const weekdays: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** A number that is being typed. */
export type Typed = number | ''

export type RecurrenceDraft = { every: Recurrence['every']; time: string; week: Weekday[]; month: number[] }

/** Something that may happen again: `max` null is without limit. */
type AgainDraft<Given extends Block> = { given: Given; max: Typed | null }

/** Browsers keep drafts of an older panel: when a field comes or changes, raise the number in ../unsaved.ts. */
export type Draft = {
  name: string
  timeZone: string
  language: MailLanguage
  anonymous: boolean
  closes: boolean
  action: Action
  redirectUrl: string
  startsOn: StartsOn
  kind: Kind
  fixed: { at: string; opensAt: string | null }
  after: { period: string }
  daysAt: { days: Typed; time: string }
  next: { closes: RecurrenceDraft; opens: RecurrenceDraft | null; minLead: string | null }
  skipWeekdays: Weekday[]
  skipDates: string[]
  endsAt: string | null
  reset: AgainDraft<Mechanism['reset']> & { enabled: boolean }
  /** Retries and cycles are never both on. */
  afterwards: 'nothing' | 'retry' | 'cycle'
  retry: AgainDraft<Mechanism['retry']> & { period: string }
  cycle: AgainDraft<Mechanism['cycle']> & { period: string }
}

/** The settings that the editor changes; the other screens of a campaign change the others. */
export type Rules = Pick<
  Settings,
  'name' | 'timeZone' | 'language' | 'mechanism' | 'anonymous' | 'conversion' | 'onExpiry'
>

export function rulesOf({ name, timeZone, language, mechanism, anonymous, conversion, onExpiry }: Settings): Rules {
  return { name, timeZone, language, mechanism, anonymous, conversion, onExpiry }
}

/** Whether each lead has a deadline of their own: only then it can start again. */
export const isPersonal = (kind: Kind): boolean => kind !== 'fixed' && kind !== 'none'

const groupOf = (kind: Kind) => (isPersonal(kind) ? 'personal' : kind)

/** What the service refuses whatever else is changed, said before it is saved. */
export function kindFaults(
  { settings, hasLeadsOrVisitors }: Whole,
  { kind }: Draft,
): { path: string; message: string }[] {
  const before = settings.mechanism.deadline.kind
  if (!hasLeadsOrVisitors || groupOf(before) === groupOf(kind)) return []
  const message = `cannot change from ${before} to ${kind} while the campaign has leads, or visitors without an email`
  return [{ path: 'mechanism.deadline.kind', message }]
}

const usualClosing: RecurrenceDraft = { every: 'week', time: '18:00', week: ['fri'], month: [1] }
export const usualOpening: RecurrenceDraft = { every: 'week', time: '09:00', week: ['mon'], month: [1] }

export function draftOf({ name, timeZone, language, mechanism, anonymous, conversion, onExpiry }: Rules): Draft {
  const { startsOn, deadline, endsAt = null, reset, retry, cycle } = mechanism
  const skips = deadline.kind === 'daysAt' || deadline.kind === 'next' ? deadline : undefined
  return {
    ...{ name, timeZone, language, startsOn, endsAt },
    anonymous: anonymous.enabled,
    closes: conversion.closes,
    action: onExpiry.action,
    redirectUrl: onExpiry.action === 'REDIRECT' ? onExpiry.redirectUrl : '',
    kind: deadline.kind,
    ...deadlinesOf(deadline),
    skipWeekdays: skips?.skipWeekdays ?? [],
    skipDates: skips?.skipDates ?? [],
    reset: { given: reset, enabled: reset?.enabled ?? false, max: maxOf(reset) },
    afterwards: retry?.enabled ? 'retry' : cycle?.enabled ? 'cycle' : 'nothing',
    retry: { given: retry, period: retry?.after ?? 'P30D', max: maxOf(retry) },
    cycle: { given: cycle, period: cycle?.pause ?? 'P7D', max: maxOf(cycle) },
  }
}

/** The deadline as it is, and what the other kinds begin with. */
function deadlinesOf(deadline: Deadline): Pick<Draft, 'fixed' | 'after' | 'daysAt' | 'next'> {
  const { kind } = deadline
  return {
    fixed: kind === 'fixed' ? { at: deadline.at, opensAt: deadline.opensAt ?? null } : { at: '', opensAt: null },
    after: { period: kind === 'after' ? deadline.period : 'PT48H' },
    daysAt: kind === 'daysAt' ? { days: deadline.days, time: deadline.time } : { days: 3, time: '23:59' },
    next: {
      closes: kind === 'next' ? recurrenceDraft(deadline.closes, usualClosing) : usualClosing,
      opens: kind === 'next' && deadline.opens ? recurrenceDraft(deadline.opens, usualOpening) : null,
      minLead: kind === 'next' ? (deadline.minLead ?? null) : 'P1D',
    },
  }
}

/** Where nothing is said and nothing was limited, one extra time is where a limit begins. */
function maxOf(block: Block): number | null {
  return block?.enabled ? (block.max ?? null) : (block?.max ?? 1)
}

function recurrenceDraft(recurrence: Recurrence, usual: RecurrenceDraft): RecurrenceDraft {
  const { every, time } = recurrence
  return {
    ...{ every, time },
    week: every === 'week' ? recurrence.on : usual.week,
    month: every === 'month' ? recurrence.on : usual.month,
  }
}

/** As it would be saved. Whether it is right the service says: an empty field is sent as it is. */
export function settingsOf(draft: Draft): Rules {
  const { name, timeZone, language, action, redirectUrl, kind, endsAt, startsOn } = draft
  const personal = isPersonal(kind)
  const { reset, retry, cycle } = draft
  const later = { after: retry.period, ...limit(retry.max) }
  const round = { pause: cycle.period, ...limit(cycle.max) }
  const mechanism = {
    startsOn: personal ? startsOn : 'registration',
    deadline: deadlineOf(draft),
    ...(endsAt !== null && { endsAt }),
    ...block('reset', personal && reset.enabled, reset.given, limit(reset.max)),
    ...block('retry', personal && draft.afterwards === 'retry', retry.given, later),
    ...block('cycle', personal && draft.afterwards === 'cycle', cycle.given, round),
  }
  return {
    ...{ name, timeZone, language },
    mechanism: mechanism as Mechanism,
    anonymous: { enabled: draft.anonymous },
    conversion: { closes: draft.closes },
    onExpiry: action === 'REDIRECT' ? { action, redirectUrl } : { action },
  }
}

function deadlineOf(draft: Draft): object {
  const { kind, fixed, after, daysAt, next, skipWeekdays, skipDates } = draft
  const skips = {
    ...(skipWeekdays.length > 0 && { skipWeekdays }),
    ...(skipDates.length > 0 && { skipDates }),
  }
  switch (kind) {
    case 'fixed':
      return { kind, at: fixed.at, ...(fixed.opensAt !== null && { opensAt: fixed.opensAt }) }
    case 'after':
      return { kind, ...after }
    case 'daysAt':
      return { kind, ...daysAt, ...skips }
    case 'next': {
      const { closes, opens, minLead } = next
      return {
        kind,
        closes: recurrenceOf(closes),
        ...(minLead !== null && { minLead }),
        ...(opens !== null && { opens: recurrenceOf(opens) }),
        ...skips,
      }
    }
    case 'none':
      return { kind }
  }
}

function recurrenceOf({ every, time, week, month }: RecurrenceDraft): object {
  if (every === 'day') return { every, time }
  return { every, on: every === 'week' ? week : month, time }
}

const limit = (max: Typed | null): object => (max === null ? {} : { max })

/** Switched off, a block stays as it was saved. */
function block(name: string, isOn: boolean, given: Block, settings: object): object {
  if (isOn) return { [name]: { enabled: true, ...settings } }
  return given === undefined ? {} : { [name]: { ...given, enabled: false } }
}
