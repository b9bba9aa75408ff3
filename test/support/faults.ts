// How much a test does: `FAULTS=full` takes the long form, and FAULTS_SEED repeats the chances of a test.
import { randomInt } from 'node:crypto'
import { type TestContext, test } from 'node:test'

export const isFull = process.env.FAULTS === 'full'
export const amount = (short: number, full: number): number => (isFull ? full : short)

/** A detail, of whose guarantee `npm test` has another check: it is looked at in the long form alone. */
export function longTest(name: string, run: (t: TestContext) => Promise<void>): void {
  if (isFull) test(name, run)
  else leaveOut()
}

let leftOut = 0

/** The end of a file says how many were left out, unless test/run.ts runs it, which sets TOGETHER. */
export function leaveOut(): void {
  leftOut += 1
  if (leftOut === 1 && process.env.TOGETHER === undefined)
    process.on('exit', () => console.log(`long tests that were not run: ${leftOut}; FAULTS=full runs them`))
}

/** All of them in the long form, and else about so many, spread over the list. */
export function someOf<Item>(list: readonly Item[], count: number): Item[] {
  return isFull ? [...list] : list.filter((_, index) => index % Math.ceil(list.length / count) === 0)
}

let state = Number(process.env.FAULTS_SEED || randomInt(2 ** 31))

/** Tests before it in the same process have had chances of their own. */
export function printSeed(t: TestContext): void {
  t.diagnostic(`FAULTS_SEED=${state} repeats its chances, where it runs alone`)
}

/** From 0, included, to 1, excluded: mulberry32. */
export function chance(): number {
  state = (state + 0x6d2b79f5) | 0
  let bits = Math.imul(state ^ (state >>> 15), 1 | state)
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
}

export const between = (least: number, most: number): number => least + chance() * (most - least)
