import { readSetting } from '../config.ts'
import { openHistoryTable } from '../history/open.ts'
import type { AccountEntry } from '../history/table.ts'
import { idNumber, readArguments } from './arguments.ts'
import { type Command, withAccount } from './command.ts'
import { pagesOf, printPages } from './print.ts'

export const listHistory: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  const accountId = await withAccount(options.account, async (_, id) => id)
  const table = await openHistoryTable(readSetting('database'))
  const filter = { fromMs: Date.now() - readSetting('historyDays') * 86_400_000, toMs: Number.MAX_SAFE_INTEGER }
  const pages = pagesOf(
    (limit, before: AccountEntry | undefined) => table.page(accountId, filter, { before, limit }),
    ({ atMs, ...entry }) => ({ at: new Date(atMs).toISOString(), ...entry }),
  )
  await printPages(pages).finally(table.close)
}
