/** Computes once for each object. The object must never change; it is forgotten along with its result. */
export function remembered<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, V>()
  return (key) => results.getOrInsertComputed(key, compute)
}
