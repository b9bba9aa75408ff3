import { inOneRound } from '../exchange.ts'

/**
 * Does so many pieces of work in one turn of the event loop and leaves the others to the next ones: between two
 * portions everybody else's requests are read and answered.
 */
export function inPortions(most: number): (work: () => void) => void {
  let waiting: (() => void)[] = []

  function takeUp(): void {
    const portion = waiting.slice(0, most)
    waiting = waiting.slice(most)
    if (waiting.length > 0) setImmediate(takeUp)
    inOneRound(() => {
      for (const work of portion) work()
    })
  }

  return (work) => {
    if (waiting.push(work) === 1) setImmediate(takeUp)
  }
}
