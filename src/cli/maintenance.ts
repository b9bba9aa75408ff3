import { readSetting } from '../config.ts'
import { distributeDatabase, migrateDatabase } from '../store/open.ts'
import { integerFrom, readArguments } from './arguments.ts'
import { type Command, withStore } from './command.ts'
import { newFile } from './files.ts'
import { WrongCall, wrongIn } from './wrong-call.ts'

export const migrate: Command = async (args) => {
  readArguments(args, {})
  return migrateDatabase(readSetting('database'))
}

/** More would be of no use with any number of servers. */
const mostShards = 1_024

export const distribute: Command = async (args) => {
  const { options } = readArguments(args, { shards: integerFrom(1, mostShards) })
  const tables = await distributeDatabase(readSetting('database'), options.shards).catch(wrongIn('distribute'))
  return { tables }
}

export const backup: Command = async (args) => {
  const { positionals } = readArguments(args, {}, 'FILE')
  const path = newFile(positionals[0])
  if (readSetting('database').engine === 'postgres') {
    throw new WrongCall('backup: copies the embedded database; on PostgreSQL use pg_dump')
  }
  return withStore(async (store) => {
    await store.backup?.(path).catch(wrongIn('FILE'))
    return { file: path }
  })
}
