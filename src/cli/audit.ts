import { formatInstant } from '../core/instant.ts'
import { type AuditEntry, auditActions, subjectKinds } from '../store/audit.ts'
import { anyText, idNumber, instantText, integerFrom, oneOf, readArguments } from './arguments.ts'
import { type Command, withAccount } from './command.ts'
import { pagesOf, printPages } from './print.ts'
import { WrongCall } from './wrong-call.ts'

const subjectForm = new RegExp(String.raw`^(${subjectKinds.join('|')})(?:/([\w-]{1,64}))?$`)

/** A kind such as `campaign`, or a single subject: `campaign/7`. */
const subjectText = (text: string, name: string) => {
  const [, subject, subjectId] = subjectForm.exec(text) ?? []
  if (subject === undefined) {
    const kinds = subjectKinds.join(', ')
    throw new WrongCall(`${name}: must be a kind such as campaign, or one such as campaign/7; kinds are ${kinds}`)
  }
  return { subject, subjectId }
}

/** Who changed what, and when; newest first. */
export const listAudit: Command = async (args) => {
  const { options } = readArguments(args, {
    ...{ account: idNumber, from: instantText, to: instantText, actor: anyText },
    ...{ action: oneOf(auditActions), subject: subjectText, limit: integerFrom(1, 1_000_000_000) },
  })
  const { from, to, actor: actorName, action, subject, limit } = options
  if (from !== undefined && to !== undefined && to <= from) throw new WrongCall('--to: must be after --from')
  const filter = { from, to, actorName, action, ...subject }
  await withAccount(options.account, ({ audit }, accountId) => {
    const read = async (most: number, last?: AuditEntry) =>
      (await audit.listEntries(accountId, filter, last?.id ?? Number.MAX_SAFE_INTEGER, most)).entries
    return printPages(pagesOf(read, ({ at, ...entry }) => ({ at: formatInstant(at), ...entry }), limit))
  })
}
