/** A setting that somebody else has changed: `path` as in a campaign file. Values are undefined where it is not there. */
export type Difference = { path: string; theirs: Value; mine: Value }
export type Value = string | number | boolean | null | undefined

/** What was changed by them since `base`, beside what it is in mine. */
export function differencesOf(base: unknown, theirs: unknown, mine: unknown): Difference[] {
  const [before, after, own] = [base, theirs, mine].map((one) => new Map(leaves(one, ''))) as [Leaves, Leaves, Leaves]
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, theirs: after.get(path), mine: own.get(path) }))
}

type Leaves = Map<string, Value>

/** Ids are the service's own. */
function leaves(value: unknown, path: string): [string, Value][] {
  if (typeof value !== 'object' || value === null) return [[path, value as Value]]
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return [[path, value.join(', ')]]
  const isList = Array.isArray(value)
  return Object.entries(value)
    .filter(([name]) => isList || name !== 'id')
    .flatMap(([name, one]) => leaves(one, isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`))
}
