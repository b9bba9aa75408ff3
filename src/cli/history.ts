import { readSetting } from '../config.ts'
import { openHistoryTable } from '../history/open.ts'
import type { Cursor, HistoryTable } from '../history/table.ts'
import { type Command, idNumber, need, needAccount, readArguments, withStore } from './command.ts'
import { printPages } from './print.ts'

const pageSize = 1_000

export const listHistory: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  const accountId = need(options.account, '--account')
  await withStore((store) => needAccount(store, accountId))
  const table = await openHistoryTable(readSetting('database'))
  const fromMs = Date.now() - readSetting('historyDays') * 86_400_000
  await printPages(pagesOf(table, accountId, fromMs)).finally(table.close)
}

async function* pagesOf(table: HistoryTable, accountId: number, fromMs: number) {
  let before: Cursor | undefined
  for (;;) {
    const filter = { fromMs, toMs: Number.MAX_SAFE_INTEGER }
    const entries = await table.page(accountId, filter, { before, limit: pageSize })
    yield entries.map(({ atMs, ...entry }) => ({ at: new Date(atMs).toISOString(), ...entry }))
    if (entries.length < pageSize) return
    before = entries.at(-1)
  }
}
