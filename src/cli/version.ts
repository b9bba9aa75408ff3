import { readFileSync } from 'node:fs'
import { zoneData } from '../core/mechanism/zone.ts'
import { type Command, readArguments } from './command.ts'

/** The versions to name in a bug report: Lastcall, Node and the zone data. */
export const version: Command = async (args) => {
  readArguments(args, {})
  const { version: lastcall } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const { version, source } = zoneData()
  return { lastcall, node: process.versions.node, zoneData: { version, source } }
}
