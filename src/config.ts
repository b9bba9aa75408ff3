// The only file that reads the environment.
import { BlockList, isIP } from 'node:net'
import { isAbsolute, join, resolve } from 'node:path'
import type { DatabaseLocation } from './store/open.ts'

const root = resolve(import.meta.dirname, '..')

export type Config = {
  database: DatabaseLocation
  host: string
  port: number
  /** Null: `http://localhost:PORT`, once the port is known. */
  publicUrl: string | null
  rateLimitPerMinute: number
  historyDays: number
  /** Reverse proxies whose `X-Forwarded-*` are believed. */
  trustProxy: BlockList
}

/** A setting that cannot be used; the message names it and says what would be right. */
export class WrongSetting extends Error {
  override name = 'WrongSetting'
}

type Names = Record<keyof Config, { variable: string; flag: string }>

export const settingNames: Names = {
  database: { variable: 'DATABASE_URL', flag: 'database-url' },
  host: { variable: 'HOST', flag: 'host' },
  port: { variable: 'PORT', flag: 'port' },
  publicUrl: { variable: 'PUBLIC_URL', flag: 'public-url' },
  rateLimitPerMinute: { variable: 'RATE_LIMIT_PER_MINUTE', flag: 'rate-limit' },
  historyDays: { variable: 'HISTORY_DAYS', flag: 'history-days' },
  trustProxy: { variable: 'TRUST_PROXY', flag: 'trust-proxy' },
}

export type Flags = Partial<Record<string, string>>

/** Reads a setting: the flag wins over the variable. @throws WrongSetting */
function read<T>(name: keyof Config, flags: Flags, missing: T, parse: (text: string) => T | undefined): T {
  const { variable, flag } = settingNames[name]
  const fromFlag = flags[flag]
  const text = fromFlag ?? process.env[variable]
  if (text === undefined) return missing
  const where = fromFlag === undefined ? variable : `--${flag}`
  try {
    const value = parse(text)
    if (value !== undefined) return value
  } catch (error) {
    throw new WrongSetting(`${where}: ${(error as Error).message}`)
  }
  throw new WrongSetting(`${where}: ${expected[name]}`)
}

const expected: Record<keyof Config, string> = {
  database: 'must be file:./PATH, file:/ABSOLUTE/PATH (postgres:// comes with a later version)',
  host: 'must be the address or name of a network interface',
  port: 'must be an integer from 0 to 65535',
  publicUrl: 'must be an absolute http: or https: URL without query, fragment, user name or password',
  rateLimitPerMinute: 'must be an integer from 1 to 1000000000',
  historyDays: 'must be an integer from 1 to 3660',
  trustProxy: 'must be IP addresses and CIDR ranges, separated by commas',
}

/** Everything that `serve` needs to know. @throws WrongSetting */
export function readConfig(flags: Flags = {}): Config {
  return {
    database: readDatabase(flags),
    host: read('host', flags, '127.0.0.1', (text) => (/^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined)),
    port: read('port', flags, 8080, (text) => integer(text, 0, 65_535)),
    publicUrl: read<string | null>('publicUrl', flags, null, publicUrl),
    rateLimitPerMinute: read('rateLimitPerMinute', flags, 120, (text) => integer(text, 1, 1_000_000_000)),
    historyDays: read('historyDays', flags, 7, (text) => integer(text, 1, 3_660)),
    trustProxy: read('trustProxy', flags, new BlockList(), proxies),
  }
}

/** Where the database is. @throws WrongSetting */
export function readDatabase(flags: Flags = {}): DatabaseLocation {
  const missing = { engine: 'sqlite', path: join(root, 'data', 'lastcall.db') } as const
  return read<DatabaseLocation>('database', flags, missing, databaseLocation)
}

/** How long the request history is kept, in days. @throws WrongSetting */
export function readHistoryDays(): number {
  return readConfig().historyDays
}

export function isPortSet(flags: Flags): boolean {
  return flags[settingNames.port.flag] !== undefined || process.env[settingNames.port.variable] !== undefined
}

/** A path that a person gave: relative to the folder they stand in, which npm keeps in INIT_CWD. */
export function userPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path)
}

export const demoFolder = join(root, 'data', 'demo')

function databaseLocation(text: string): DatabaseLocation | undefined {
  const path = /^file:(?!\/\/)([^?#\0]+)$/.exec(text)?.[1]
  if (path === undefined || path.endsWith('/')) return undefined
  return { engine: 'sqlite', path: isAbsolute(path) ? path : join(root, path) }
}

/** A decimal integer without sign or leading zero. */
export function integer(text: string, least: number, most: number): number | undefined {
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) return undefined
  const value = Number(text)
  return value >= least && value <= most ? value : undefined
}

/** Without a slash at the end, so that paths can be put behind it. */
export function publicUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || /[?#\s]/.test(text)) return undefined
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function proxies(text: string): BlockList | undefined {
  const list = new BlockList()
  for (const part of text.split(',').map((entry) => entry.trim())) {
    const [address, prefix, ...rest] = part.split('/')
    const family = isIP(address ?? '')
    if (family === 0 || rest.length > 0) return undefined
    const most = family === 4 ? 32 : 128
    const bits = prefix === undefined ? most : integer(prefix, 0, most)
    if (bits === undefined) return undefined
    list.addSubnet(address as string, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
