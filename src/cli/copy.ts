import { statSync } from 'node:fs'
import { databaseForm, databaseLocation } from '../config.ts'
import { Refused, UnusableDatabase } from '../store/errors.ts'
import { claimDatabase, type DatabaseLocation, openCopyEnd } from '../store/open.ts'
import { type CopyEnd, copyTables, startOver } from '../store/table-copy.ts'
import { need, readArguments } from './arguments.ts'
import { type Command, isThere } from './command.ts'
import { progress } from './progress.ts'
import { WrongCall } from './wrong-call.ts'

/** Takes an installation to another database; after an interruption it may be run again. */
export const copy: Command = async (args) => {
  const { options } = readArguments(args, { from: location, to: location })
  const from = need(options.from, '--from')
  const to = need(options.to, '--to')
  if (from.engine === 'sqlite' && !isThere(from.path)) {
    throw new WrongCall('--from: there is no database in this file')
  }
  if (placeOf(from) === placeOf(to)) throw new WrongCall('--to: must be a different database')
  const giveUpSource = claimDatabase(from)
  const giveUpTarget = claimDatabase(to)
  const show = progress()
  const source = await open('--from', from)
  const target = await open('--to', to)
  try {
    const tables = await copyTables(source, target, (table, done) => show(`rows of ${table} copied`, done))
    return { tables }
  } catch (error) {
    if (error instanceof Refused) throw new WrongCall(error.message)
    throw isTaken(error as Error) ? new Error(`--to: rows of an earlier copy are in the way; ${startOver}`) : error
  } finally {
    show.end()
    await source.close()
    await target.close()
    giveUpTarget()
    giveUpSource()
  }
}

/** PostgreSQL's code, or SQLite's words, for a row that breaks a unique index. */
const isTaken = ({ code, message }: NodeJS.ErrnoException) => code === '23505' || message.startsWith('UNIQUE ')

/** An empty source is refused as a mistake; a target gets its tables. */
async function open(name: '--from' | '--to', location: DatabaseLocation): Promise<CopyEnd> {
  try {
    return await openCopyEnd(location, name === '--to')
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error
    error.message = `${name}: ${error.message.replace(' of DATABASE_URL', '')}`
    throw error
  }
}

/** A file may have several names. */
function placeOf(database: DatabaseLocation): string {
  const file = database.engine === 'sqlite' ? statSync(database.path, { throwIfNoEntry: false }) : undefined
  return file === undefined ? JSON.stringify(database) : `${file.dev}:${file.ino}`
}

const location = (text: string, name: string): DatabaseLocation => {
  const found = databaseLocation(text)
  if (found === undefined) throw new WrongCall(`${name}: ${databaseForm}`)
  return found
}
