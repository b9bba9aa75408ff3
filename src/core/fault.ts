/**
 * What is wrong with something that people wrote, and where. The path is dotted as they write it,
 * `mechanism.deadline.days` or `pages[0].pageUrl`, and empty for the whole; the message is one line that
 * says what would be right. Neither tells the value: a refused URL may carry a password.
 */
export type Fault = { path: string; message: string }

/** A hostile document has more faults than anybody reads, and naming one takes more bytes than making it. */
const mostFaults = 50

/** The faults of one document that are named. */
export const firstFaults = (faults: readonly Fault[]): Fault[] => faults.slice(0, mostFaults)

/** Gives the value as it is to be kept, or adds to `faults` and gives undefined. */
export type Check<T> = (value: unknown, path: string, faults: Fault[]) => T | undefined

/** A property that may be left out; `otherwise` is then kept in its place. */
type Optional<T> = { optional: Check<T>; otherwise: T | undefined }

/** One check for each property of T: the compiler demands every row. */
type Fields<T> = { [K in keyof T]-?: Check<Exclude<T[K], undefined>> | Optional<Exclude<T[K], undefined>> }

/** Of the cases of T, the one that has this name in its property `Tag`. */
type CaseOf<T, Tag extends keyof T, Name> = T extends unknown ? (Name extends T[Tag] ? T : never) : never

/** What each case of T has beside its tag: the compiler demands every case. */
type Cases<T, Tag extends keyof T & string> = {
  [Name in T[Tag] & string]: Fields<Omit<CaseOf<T, Tag, Name>, Tag>>
}

type JsonObject = { readonly [key: string]: unknown }

/** The default is frozen, since everyone who leaves the property out is given the same one. */
export function optional<T>(check: Check<T>, otherwise?: T): Optional<T> {
  return { optional: check, otherwise: Object.freeze(otherwise) }
}

/** An object with these properties and no other, not even `__proto__` as JSON.parse gives it. */
export function record<T extends object>(fields: Fields<T>): Check<T> {
  const rows: [string, Check<unknown> | Optional<unknown>][] = Object.entries(fields)
  const names = rows.map(([name]) => name)
  return (value, path, faults) => {
    if (!isObject(value)) return refuse(faults, path, 'must be an object')
    const faultsBefore = faults.length
    const unknown = Object.keys(value).filter((name) => !names.includes(name))
    for (const name of unknown.slice(0, mostFaults)) refuse(faults, join(path, name), unknownProperty(names))
    const kept: Record<string, unknown> = {}
    for (const [name, field] of rows) {
      const checked = property(value, name, field, join(path, name), faults)
      if (checked !== undefined) kept[name] = checked
    }
    return faults.length === faultsBefore ? (kept as T) : undefined
  }
}

/** An object whose property `tag` says which of the cases it is, and so what else it has. */
export function variant<T, Tag extends keyof T & string>(tag: Tag, cases: Cases<T, Tag>): Check<T> {
  const checks = new Map(
    Object.entries<object>(cases).map(([name, fields]) => [name, record<object>({ [tag]: anything, ...fields })]),
  )
  const names = choice([...checks.keys()])
  return (value, path, faults) => {
    if (!isObject(value)) return refuse(faults, path, 'must be an object')
    const name = property(value, tag, names, join(path, tag), faults)
    return name === undefined ? undefined : (checks.get(name)?.(value, path, faults) as T | undefined)
  }
}

/** A list of at most `most` items; the items of a longer one are not even checked. */
export function list<T>(item: Check<T>, most: number): Check<T[]> {
  return (value, path, faults) => {
    if (!Array.isArray(value)) return refuse(faults, path, 'must be a list')
    if (value.length > most) return refuse(faults, path, `must have at most ${most} items, not ${value.length}`)
    const faultsBefore = faults.length
    const kept = value.map((each, index) => item(each, join(path, index), faults))
    return faults.length === faultsBefore ? (kept as T[]) : undefined
  }
}

export function choice<const T extends string>(names: readonly T[]): Check<T> {
  return (value, path, faults) =>
    names.find((name) => name === value) ?? refuse(faults, path, `must be ${quotedList(names)}`)
}

/** A whole number from `least` to `most`, both included. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Check<number> {
  const wanted = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`
  return (value, path, faults) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? (value as number)
      : refuse(faults, path, `must be a whole number ${wanted}`)
}

export const flag: Check<boolean> = (value, path, faults) =>
  typeof value === 'boolean' ? value : refuse(faults, path, 'must be true or false')

/** A text that passes `accepts`, if there is one; `wanted` describes such texts. It is kept as it was written. */
export function text(wanted: string, accepts: (text: string) => boolean = () => true): Check<string> {
  return (value, path, faults) =>
    typeof value === 'string' && accepts(value) ? value : refuse(faults, path, `must be ${wanted}`)
}

/** A name of at most so many characters. PostgreSQL keeps neither NUL nor half a surrogate pair. */
export function nameOf(most: number): Check<string> {
  return text(`a name of 1 to ${most} characters, not blank`, (name) => {
    const fits = name.trim() !== '' && [...name].length <= most
    return fits && name.isWellFormed() && !name.includes('\0')
  })
}

export function nullOr<T>(check: Check<T>): Check<T | null> {
  return (value, path, faults) => (value === null ? null : check(value, path, faults))
}

/** Accepts anything: for what is checked elsewhere, or not at all. */
export const anything: Check<unknown> = (value) => value

/** A property of something unknown, if it passes its check; otherwise undefined. */
export function valid<T>(value: unknown, name: string, check: Check<T>): T | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? check(value[name], '', []) : undefined
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Adds one fault, and gives undefined in place of a value. */
export function refuse(faults: Fault[], path: string, message: string): undefined {
  faults.push({ path, message })
}

/** The path of a property or of a list's item. A name that is no plain word may be anything: `a["…"]`. */
export function join(path: string, name: string | number): string {
  if (typeof name === 'number') return `${path}[${name}]`
  if (!/^[\w$-]{1,60}$/.test(name)) return `${path}["…"]`
  return path === '' ? name : `${path}.${name}`
}

function property<T>(
  value: JsonObject,
  name: string,
  field: Check<T> | Optional<T>,
  path: string,
  faults: Fault[],
): T | undefined {
  const given = Object.hasOwn(value, name) ? value[name] : undefined
  if (typeof field === 'function') {
    return given === undefined ? refuse(faults, path, 'is missing') : field(given, path, faults)
  }
  return given === undefined ? field.otherwise : field.optional(given, path, faults)
}

function unknownProperty(names: readonly string[]): string {
  return `is unknown; known here are ${names.join(', ')}`
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(' or ')
}
