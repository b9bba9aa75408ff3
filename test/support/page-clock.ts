// What is wrong with the clocks of a visitor's machine. Each text is a script that runs before those of the page.

/** The clock on the wall differs by so much, from the start. */
export function wrongClock(differsMs: number): string {
  return `(${install})(${differsMs})`
}

/**
 * A machine that can fall asleep: the events 'test:sleep' and 'test:doze' of the document, with milliseconds as
 * detail, let it wake that much later. In a sleep the steady clock stands still, in a doze it runs on.
 */
export const sleepyMachine = `(${install})(0)`

function install(differsMs: number): void {
  const RealDate = Date
  const steady = performance.now.bind(performance)
  let wallMs = differsMs
  let steadyMs = 0
  performance.now = () => steady() + steadyMs
  globalThis.Date = class extends RealDate {
    constructor(...parts: []) {
      if (parts.length === 0) super(RealDate.now() + wallMs)
      else super(...parts)
    }
    static override now(): number {
      return RealDate.now() + wallMs
    }
  } as DateConstructor
  const slept = (name: string, runsOn: boolean) =>
    (globalThis as any).document?.addEventListener(name, ({ detail }: { detail: number }) => {
      wallMs += detail
      if (runsOn) steadyMs += detail
    })
  slept('test:sleep', false)
  slept('test:doze', true)
}
