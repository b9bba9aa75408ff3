export type OneAtATime = ReturnType<typeof oneAtATime>

/** Runs what belongs to one id one after the other, in the order of the calls. */
export function oneAtATime() {
  const lastOf = new Map<number, Promise<unknown>>()
  return async <T>(id: number, work: () => Promise<T>): Promise<T> => {
    const result = (lastOf.get(id) ?? Promise.resolve()).then(work)
    const last = result.catch(() => undefined)
    lastOf.set(id, last)
    try {
      return await result
    } finally {
      if (lastOf.get(id) === last) lastOf.delete(id)
    }
  }
}
