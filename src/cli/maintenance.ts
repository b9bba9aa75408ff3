import { existsSync } from 'node:fs'
import { publicUrl, readSetting, userPath } from '../config.ts'
import { description } from '../http/public/description.ts'
import { basePath } from '../http/public/schemas.ts'
import { Refused } from '../store/errors.ts'
import { migrateDatabase } from '../store/open.ts'
import { type Command, readArguments, WrongCall, withStore } from './command.ts'

export const openapi: Command = async (args) => {
  const { options } = readArguments(args, { server: serverUrl })
  const origin = readSetting('publicUrl') ?? `http://localhost:${readSetting('port')}`
  return description(options.server ?? `${origin}${basePath}`)
}

const serverUrl = (text: string): string => {
  const url = publicUrl(text)
  if (url === undefined) {
    throw new WrongCall('--server: must be the whole base address, such as https://example.com/api/public/v1')
  }
  return url
}

export const migrate: Command = async (args) => {
  readArguments(args, {})
  return migrateDatabase(readSetting('database'))
}

export const backup: Command = async (args) => {
  const { positionals } = readArguments(args, {}, ['FILE'])
  const file = positionals[0] as string
  if (existsSync(userPath(file))) throw new WrongCall(`FILE: ${file} exists already; name a new file`)
  if (readSetting('database').engine === 'postgres') {
    throw new WrongCall('backup: copies the embedded database; on PostgreSQL use pg_dump')
  }
  return withStore(async (store) => {
    try {
      await store.backup(userPath(file))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      throw new WrongCall(`FILE: ${error.message}`)
    }
    return { file: userPath(file) }
  })
}
