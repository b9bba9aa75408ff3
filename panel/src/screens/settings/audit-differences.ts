/** A setting that is not the same before and after; undefined where it is not there. */
type Difference = { path: string[]; before: unknown; after: unknown }

/** The items of a list are counted from one. What is empty is nothing. */
export function differencesOf(before: unknown, after: unknown, path: string[] = []): Difference[] {
  const [left, right] = [partsOf(before), partsOf(after)]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  if (names.length > 0) return names.flatMap((name) => differencesOf(left[name], right[name], [...path, name]))
  return shown(before) === shown(after) ? [] : [{ path, before: shown(before), after: shown(after) }]
}

/** An object without properties is on: a countdown image in its usual style. */
function shown(value: unknown): unknown {
  if (typeof value !== 'object') return value
  return value === null || Array.isArray(value) ? undefined : true
}

function partsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {}
  if (!Array.isArray(value)) return { ...value }
  return Object.fromEntries(value.map((item, index) => [String(index + 1), item]))
}
