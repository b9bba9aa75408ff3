import { integer } from '../config.ts'
import { formatInstant } from '../core/instant.ts'
import { type AuditFilter, type AuditPage, auditActions, subjectKinds } from '../store/audit.ts'
import type { Store } from '../store/store.ts'
import {
  anyText,
  type Command,
  idNumber,
  instantText,
  oneOf,
  readArguments,
  WrongCall,
  withAccount,
} from './command.ts'
import { printPages } from './print.ts'

const pageSize = 1_000

const count = (text: string, name: string): number => {
  const limit = integer(text, 1, Number.MAX_SAFE_INTEGER)
  if (limit === undefined) throw new WrongCall(`${name}: must be an integer of 1 or more`)
  return limit
}

const isKind = (text: string | undefined) => subjectKinds.some((kind) => kind === text)
const kinds = subjectKinds.join(', ')

/** A kind such as `campaign`, or a single subject: `campaign/7`. */
const subjectText = (text: string, name: string): { subject: string; subjectId?: string } => {
  const [, subject, subjectId] = /^([a-z]+)(?:\/([\w-]{1,64}))?$/.exec(text) ?? []
  if (subject === undefined || !isKind(subject)) {
    throw new WrongCall(`${name}: must be a kind such as campaign, or one such as campaign/7; kinds are ${kinds}`)
  }
  return { subject, ...(subjectId !== undefined && { subjectId }) }
}

/** Who changed what, and when; newest first. */
export const listAudit: Command = async (args) => {
  const { options } = readArguments(args, {
    ...{ account: idNumber, from: instantText, to: instantText, actor: anyText },
    ...{ action: oneOf(auditActions), subject: subjectText, limit: count },
  })
  const { from, to, actor: actorName, action, subject, limit = Number.MAX_SAFE_INTEGER } = options
  if (from !== undefined && to !== undefined && to <= from) throw new WrongCall('--to: must be after --from')
  await withAccount(options.account, (store, accountId) =>
    printPages(pagesOf(store, accountId, { from, to, actorName, action, ...subject }, limit)),
  )
}

async function* pagesOf({ audit }: Store, accountId: number, filter: AuditFilter, limit: number) {
  let beforeId: number | null = Number.MAX_SAFE_INTEGER
  for (let left = limit; left > 0 && beforeId !== null; ) {
    const page: AuditPage = await audit.listEntries(accountId, filter, beforeId, Math.min(left, pageSize))
    yield page.entries.map(({ at, ...entry }) => ({ at: formatInstant(at), ...entry }))
    left -= page.entries.length
    beforeId = page.next
  }
}
