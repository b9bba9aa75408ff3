import { existsSync } from 'node:fs'
import { readSetting } from '../config.ts'
import { historyPath, readHistory } from '../history/history-file.ts'
import { type Command, idNumber, need, needAccount, readArguments, withStore } from './command.ts'
import { printPages } from './print.ts'

export const listHistory: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  const accountId = need(options.account, '--account')
  await withStore((store) => needAccount(store, accountId))
  const path = historyPath(readSetting('database').path)
  const since = Date.now() - readSetting('historyDays') * 86_400_000
  // No server has run on this database yet: then there is nothing to tell.
  await printPages(existsSync(path) ? readHistory(path, accountId, since) : [])
}
