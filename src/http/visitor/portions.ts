import { inOneRound } from '../exchange.ts'

/** Done in one turn of the event loop while nobody else asks for anything, and while somebody does. */
const mostAlone = 64
const mostBesides = 4

export type Portions = {
  /** Does the work in this turn or in one of the next. */
  soon(work: () => void): void
  /** Says that somebody else asks for something. */
  yieldTo(): void
}

/**
 * A flood of work must not hold up everybody else, whose requests are read and answered between two portions of it.
 * Answers that leave together cost less each, so that portions are small only where there is somebody else.
 */
export function inPortions(): Portions {
  let waiting: (() => void)[] = []
  let isAlone = true

  function takeUp(): void {
    const most = isAlone ? mostAlone : mostBesides
    isAlone = true
    const portion = waiting.slice(0, most)
    waiting = waiting.slice(most)
    if (waiting.length > 0) setImmediate(takeUp)
    inOneRound(() => {
      for (const work of portion) work()
    })
  }

  return {
    soon(work) {
      if (waiting.push(work) === 1) setImmediate(takeUp)
    },
    yieldTo() {
      isAlone = false
    },
  }
}
