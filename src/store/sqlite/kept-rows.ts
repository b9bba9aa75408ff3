import type { FiledRow } from './filed-row.ts'

/** More than arrive before a round of filing has ended. The row of a lead that has lost its place is read again. */
const places = 163_840
const width = 5

export type KeptRows = {
  keep(row: FiledRow): void
  /** The row of the lead with this id, if it is still kept. */
  find(id: number): FiledRow | undefined
  /** The lead has another row now. */
  drop(id: number): void
  clear(): void
}

/**
 * Rows of the newest leads, as numbers in one piece of memory: as objects that live for some seconds they cost the
 * garbage collector 7 % of all that a registration costs.
 */
export function keptRows(): KeptRows {
  /** A place begins with the id of its lead, or with 0. NaN stands for null. */
  const numbers = new Float64Array(places * width)
  let isEmpty = true
  const placeOf = (id: number) => (id % places) * width
  const orNull = (index: number) => {
    const number = numbers[index] as number
    return Number.isNaN(number) ? null : number
  }

  return {
    keep([id, salt, registeredAt, ruleId, deadlineAt]) {
      const place = placeOf(id)
      numbers[place] = id
      numbers[place + 1] = salt ?? Number.NaN
      numbers[place + 2] = registeredAt ?? Number.NaN
      numbers[place + 3] = ruleId ?? Number.NaN
      numbers[place + 4] = deadlineAt ?? Number.NaN
      isEmpty = false
    },
    find(id) {
      const place = placeOf(id)
      if (numbers[place] !== id) return undefined
      return [id, orNull(place + 1), orNull(place + 2), orNull(place + 3), orNull(place + 4)]
    },
    drop(id) {
      const place = placeOf(id)
      if (numbers[place] === id) numbers[place] = 0
    },
    clear() {
      // Memory that was never written takes no room.
      if (!isEmpty) numbers.fill(0)
      isEmpty = true
    },
  }
}
