import lastcall from '../../package.json' with { type: 'json' }
import { zoneData } from '../core/mechanism/zone.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'

/** The versions to name in a bug report: Lastcall, Node and the zone data. */
export const version: Command = async (args) => {
  readArguments(args, {})
  const { version, source } = zoneData()
  return { lastcall: lastcall.version, node: process.versions.node, zoneData: { version, source } }
}
