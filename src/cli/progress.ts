/** Counts on one line of the terminal; silent if standard error is not a terminal. */
export function progress(): { (what: string, count: number): void; end(): void } {
  const { stderr } = process
  let shownAt = 0
  const show = (what: string, count: number) => {
    if (!stderr.isTTY || performance.now() - shownAt < 100) return
    shownAt = performance.now()
    stderr.write(`\r\x1b[K${what}: ${count.toLocaleString('en')}`)
  }
  show.end = () => {
    if (stderr.isTTY) stderr.write('\r\x1b[K')
  }
  return show
}
