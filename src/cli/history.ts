import { readSetting } from '../config.ts'
import { historyPlace } from '../history/places.ts'
import { readHistory } from '../history/reading.ts'
import { type Command, idNumber, need, needAccount, readArguments, withStore } from './command.ts'
import { printPages } from './print.ts'

export const listHistory: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  const accountId = need(options.account, '--account')
  await withStore((store) => needAccount(store, accountId))
  const since = Date.now() - readSetting('historyDays') * 86_400_000
  await printPages(readHistory(historyPlace(readSetting('database')), accountId, since))
}
