// The only file that reads the environment.
import { isIP } from 'node:net'
import { isAbsolute, join, resolve } from 'node:path'
import type { ProviderSettings } from './access/provider.ts'
import { isEmail } from './core/email.ts'
import { webAddress } from './core/web-address.ts'
import type { Egress } from './events/egress.ts'
import type { Smtp } from './mail/mailer.ts'
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
  /** How long the audit log is kept. */
  auditDays: number
  /** Connections to PostgreSQL that write leads, and as many that read leads and count requests. */
  poolSize: number
  /** Processes that share the port; more than one only on PostgreSQL. */
  workers: number
  /** Emails that one visitor may register by forms in a minute. */
  formRatePerMinute: number
  /** Reverse proxies whose `X-Forwarded-*` are believed. */
  trustProxy: string[]
  /** Whether endpoints may be made, and webhooks are sent. */
  webhooks: boolean
  /** Where requests to endpoints may go besides the public internet. */
  egress: Egress
  /** Null: no mail is sent. */
  smtp: Smtp | null
  /** Null: people sign in only by password. */
  oidc: ProviderSettings | null
}

/** Settings with a flag. Those of mail and of the provider hold secrets, and have none. */
type WithFlag = Omit<Config, 'smtp' | 'oidc'>

/** A setting that cannot be used; the message names it and says what would be right. */
export class WrongSetting extends Error {
  override name = 'WrongSetting'
}

type Setting<T> = {
  variable: string
  flag: string
  missing: T
  /** What a value must be, for the line that refuses another. */
  expected: string
  parse(text: string): T | undefined
}

/** What is expected of a whole number, and how it is read. */
const integerFrom = (least: number, most: number) => ({
  expected: `must be an integer from ${least} to ${most}`,
  parse: (text: string) => integer(text, least, most),
})

const addresses = 'file:./PATH, file:/ABSOLUTE/PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE'
/** The driver would take these in place of our own, by which what was answered with 503 is not done later. */
const ownParameters = [
  'application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
]
/** Those that the driver knows. */
const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']
/** What the address of a database must be, for the line that refuses another. */
export const databaseForm = `must be ${addresses}, special characters of a password as %2F for /, %3F for ?, %23 for # and %25 for %; after ? each parameter once, in small letters, sslmode one of ${sslModes.join(', ')}, without uselibpqcompat, by which some of them verify no certificate, and none of ${ownParameters.join(', ')}, which Lastcall sets`

const settings: { [Name in keyof WithFlag]: Setting<WithFlag[Name]> } = {
  database: {
    variable: 'DATABASE_URL',
    flag: 'database-url',
    missing: { engine: 'sqlite', path: join(root, 'data', 'lastcall.db') },
    expected: databaseForm,
    parse: databaseLocation,
  },
  host: {
    variable: 'HOST',
    flag: 'host',
    missing: '127.0.0.1',
    expected: 'must be the address or name of a network interface',
    parse: (text) => (/^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined),
  },
  port: {
    variable: 'PORT',
    flag: 'port',
    missing: 8080,
    ...integerFrom(0, 65_535),
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    flag: 'public-url',
    missing: null,
    expected: 'must be an absolute http: or https: URL without query, fragment, user name or password',
    parse: publicUrl,
  },
  rateLimitPerMinute: {
    variable: 'RATE_LIMIT_PER_MINUTE',
    flag: 'rate-limit',
    missing: 120,
    ...integerFrom(1, 1_000_000_000),
  },
  historyDays: {
    variable: 'HISTORY_DAYS',
    flag: 'history-days',
    missing: 7,
    ...integerFrom(1, 3_660),
  },
  auditDays: {
    variable: 'AUDIT_DAYS',
    flag: 'audit-days',
    missing: 365,
    ...integerFrom(1, 3_660),
  },
  poolSize: {
    variable: 'POOL_SIZE',
    flag: 'pool-size',
    missing: 10,
    ...integerFrom(1, 100),
  },
  workers: {
    variable: 'WORKERS',
    flag: 'workers',
    missing: 1,
    ...integerFrom(1, 256),
  },
  formRatePerMinute: {
    variable: 'FORM_RATE_PER_MINUTE',
    flag: 'form-rate',
    missing: 6,
    ...integerFrom(1, 1_000_000),
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    flag: 'trust-proxy',
    missing: [],
    expected: 'must be IP addresses and CIDR ranges other than /0, separated by commas',
    parse: proxies,
  },
  webhooks: {
    variable: 'WEBHOOKS',
    flag: 'webhooks',
    missing: true,
    expected: 'must be on or off',
    parse: (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
  },
  egress: {
    variable: 'EGRESS_ALLOW',
    flag: 'egress-allow',
    missing: { ranges: [], names: [] },
    expected: 'must be IP addresses, CIDR ranges and host names, separated by commas',
    parse: parseEgress,
  },
}

/** The names of every setting, in the environment and as a flag of `serve`. */
export const settingNames: Record<keyof WithFlag, { variable: string; flag: string }> = settings

export type Flags = Partial<Record<string, string>>

/** Reads one setting: the flag wins over the variable. @throws WrongSetting */
export function readSetting<Name extends keyof WithFlag>(name: Name, flags: Flags = {}): WithFlag[Name] {
  const { variable, flag, missing, expected, parse } = settings[name]
  const fromFlag = flags[flag]
  const text = fromFlag ?? process.env[variable]
  if (text === undefined) return missing
  const value = parse(text)
  if (value !== undefined) return value
  throw new WrongSetting(`${fromFlag === undefined ? variable : `--${flag}`}: ${expected}`)
}

/** Everything that `serve` needs to know. @throws WrongSetting */
export function readConfig(flags: Flags = {}): Config {
  const names = Object.keys(settings) as (keyof WithFlag)[]
  const withFlag = Object.fromEntries(names.map((name) => [name, readSetting(name, flags)])) as WithFlag
  return { ...withFlag, smtp: readSmtp(), oidc: readOidc() }
}

export function isPortSet(flags: Flags): boolean {
  return flags[settingNames.port.flag] !== undefined || process.env[settingNames.port.variable] !== undefined
}

/** npm starts its scripts here. Elsewhere its variables are those of somebody else's script, which has started us. */
const isHere = (): boolean => process.cwd() === root

/** A path that a person gave: relative to the folder they stand in, which npm keeps in INIT_CWD. */
export function userPath(path: string): string {
  return resolve((isHere() ? process.env.INIT_CWD : undefined) ?? process.cwd(), path)
}

/** As `npm start` and `npm run demo` start it. */
export const isUnderNpm = (): boolean => isHere() && process.env.npm_lifecycle_event !== undefined

/** TZDIR, as in other programs: a folder of zone files that take the place of Node's own data. No flag goes with it. */
export function zoneFolder(): string | null {
  const { TZDIR } = process.env
  return TZDIR === undefined ? null : userPath(TZDIR)
}

/** SMTP_URL and SMTP_FROM, both or neither. @throws WrongSetting */
function readSmtp(): Smtp | null {
  const { SMTP_URL: url, SMTP_FROM: from } = process.env
  if (url === undefined && from === undefined) return null
  if (url === undefined || !isSmtpUrl(url)) {
    const form = 'must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the first byte'
    throw new WrongSetting(`SMTP_URL: ${form}${url === undefined ? '; SMTP_FROM is set' : ''}`)
  }
  const sender = readSender(from ?? '')
  if (sender === undefined) {
    const form = 'must be an email address, or NAME <ADDRESS>, the name in quotes if it has a comma or the like'
    throw new WrongSetting(`SMTP_FROM: ${form}${from === undefined ? '; SMTP_URL is set' : ''}`)
  }
  return { url, from: sender }
}

/** A name with signs that separate addresses, such as a comma, stands in quotes: without them it may be a list. */
function readSender(text: string): Smtp['from'] | undefined {
  const named = /^(?:"((?:[^"\\\p{Cc}]|\\\P{Cc})*)" *|([^<>"@,;\p{Cc}]*))<([^<>]+)>$/u.exec(text)
  const [, quoted, plain = '', address = text] = named ?? []
  const name = quoted?.replaceAll(/\\(.)/gu, '$1') ?? plain.trim()
  return isEmail(address) ? { name, address } : undefined
}

function isSmtpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // What looks like a path may be the rest of a password that has a slash.
  return url !== undefined && /^smtps?:\/\/[^\s?#/]+\/?$/i.test(text) && url.hostname !== ''
}

/** OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, all or none, and OIDC_ONLY with them. @throws WrongSetting */
function readOidc(): ProviderSettings | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ONLY } = process.env
  if (OIDC_ONLY !== undefined && OIDC_ONLY !== 'on' && OIDC_ONLY !== 'off') {
    throw new WrongSetting('OIDC_ONLY: must be on or off')
  }
  const isOnly = OIDC_ONLY === 'on'
  const given = Object.entries({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET })
  const [set = isOnly ? 'OIDC_ONLY' : undefined] = given.flatMap(([name, text]) => (text === undefined ? [] : [name]))
  if (set === undefined) return null
  const because = (text: string | undefined) => (text === undefined ? `; ${set} is set` : '')
  if (OIDC_ISSUER === undefined || !isIssuer(OIDC_ISSUER)) {
    const form = 'must be an https: URL without query, fragment, user name or password; http: for localhost only'
    throw new WrongSetting(`OIDC_ISSUER: ${form}${because(OIDC_ISSUER)}`)
  }
  const alone = 'without blanks or line ends around it'
  if (!isWord(OIDC_CLIENT_ID)) {
    throw new WrongSetting(`OIDC_CLIENT_ID: must be the client id, ${alone}${because(OIDC_CLIENT_ID)}`)
  }
  if (!isWord(OIDC_CLIENT_SECRET)) {
    throw new WrongSetting(`OIDC_CLIENT_SECRET: must be the client's secret, ${alone}${because(OIDC_CLIENT_SECRET)}`)
  }
  return { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET, isOnly }
}

const isWord = (text: string | undefined): text is string => !!text && text === text.trim() && !/\p{Cc}/u.test(text)

/** Codes and tokens go there, so `http:` only on this machine. */
function isIssuer(text: string): boolean {
  const url = publicUrl(text) === undefined ? undefined : new URL(text)
  return url?.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '')
}

export const demoFolder = join(root, 'data', 'demo')

/** @throws WrongSetting */
export function databaseLocation(text: string): DatabaseLocation | undefined {
  if (/^postgres(?:ql)?:\/\/[^\s\0]+$/.test(text)) {
    checkPostgresVariables()
    return isPostgresUrl(text) ? { engine: 'postgres', url: text } : undefined
  }
  // No carriage return, and no blank at the end, which a settings file may have: they would name another database.
  const path = /^file:(?!\/\/)([^?#\p{Cc}]+)$/u.exec(text)?.[1]
  if (path === undefined || /[/\s]$/.test(path)) return undefined
  return { engine: 'sqlite', path: isAbsolute(path) ? path : join(root, path) }
}

/**
 * The driver reads these where the address says nothing. By an `sslmode` that it does not know it connects in the clear,
 * and of our connections only some would have the options.
 */
function checkPostgresVariables(): void {
  const { PGSSLMODE, PGOPTIONS, PGPORT } = process.env
  if (PGSSLMODE !== undefined && !sslModes.includes(PGSSLMODE))
    throw new WrongSetting(`PGSSLMODE: must be one of ${sslModes.join(', ')}`)
  if (PGPORT && integer(PGPORT, 1, 65_535) === undefined)
    throw new WrongSetting('PGPORT: must be an integer from 1 to 65535')
  if (PGOPTIONS !== undefined) throw new WrongSetting('PGOPTIONS: not read; put ?options=… into DATABASE_URL')
}

/**
 * The driver breaks on bytes that are not UTF-8, and waits for ever on a port that cannot exist. It ignores `SSLMODE`,
 * the first of two, and an empty `sslmode`, and with `uselibpqcompat` takes `require` for `no-verify`: no certificate
 * would be verified, and nobody told.
 */
function isPostgresUrl(text: string): boolean {
  // No host, but a user: the driver takes that, as psql does, with `host` in the query.
  const url = text.replace('@/', '@localhost/')
  if (!URL.canParse(url)) return false
  const { searchParams } = new URL(url)
  const names = [...searchParams.keys()]
  if (names.some((name, n) => name !== name.toLowerCase() || names.indexOf(name) !== n)) return false
  if ([...ownParameters, 'uselibpqcompat'].some((name) => searchParams.has(name))) return false
  if (!sslModes.includes(searchParams.get('sslmode') ?? 'disable')) return false
  const port = searchParams.get('port') ?? '5432'
  try {
    decodeURI(text)
    return integer(port, 1, 65_535) !== undefined
  } catch {
    return false
  }
}

/** A decimal integer without sign or leading zero. */
export function integer(text: string, least: number, most: number): number | undefined {
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) return undefined
  const value = Number(text)
  return value >= least && value <= most ? value : undefined
}

/** Without a slash at the end, so that paths can be put behind it. */
export function publicUrl(text: string): string | undefined {
  // The same address for every program: no `https:/x`, which the URL parser corrects, and no `%` that begins no escape.
  if (webAddress(text) === undefined || /[?#]/.test(text)) return undefined
  const url = new URL(text)
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
}

function proxies(text: string): string[] | undefined {
  const list = entriesOf(text)
  // Fastify refuses a range of all addresses: anybody could then claim any address.
  return list.every((entry) => isRange(entry) && !entry.endsWith('/0')) ? list : undefined
}

function parseEgress(text: string): Egress | undefined {
  const list = entriesOf(text.toLowerCase())
  const names = list.filter((entry) => !isRange(entry))
  // An address in another spelling would allow nothing: URLs have addresses in their usual one.
  const isHost = (name: string) =>
    /^(?=.*[a-z])[a-z\d_-]+(?:\.[a-z\d_-]+)*$/.test(name) && URL.parse(`http://${name}`)?.hostname === name
  if (!names.every(isHost) || list.some((entry) => /^::ffff:|%/.test(entry))) return undefined
  const withPrefix = (range: string) => (range.includes('/') ? range : `${range}/${isIP(range) === 4 ? 32 : 128}`)
  return { ranges: list.filter(isRange).map(withPrefix), names }
}

const entriesOf = (text: string) => text.split(',').map((entry) => entry.trim())

/** An address, or a CIDR range. */
function isRange(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || integer(prefix, 0, family === 4 ? 32 : 128) !== undefined
}
