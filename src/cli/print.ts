import { once } from 'node:events'

let fails = false

/** A command whose output cannot be written, as on a full disk, has failed. A server goes on. */
function failWithOutput(): void {
  if (fails) return
  fails = true
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    console.error(`lastcall: standard output cannot be written (${code}); what the command has changed stays changed`)
    process.exit(1)
  })
}

/**
 * JSON does not escape the control characters from 7f to 9f. A customer could put them into a name, and the operator's
 * terminal would obey: change its title, or what is pasted next.
 */
const jsonOf = (value: unknown, space?: number) =>
  JSON.stringify(value, null, space).replace(/[\x7f-\x9f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)

/** Standard output: one JSON document, indented on a terminal. */
export function print(value: unknown): void {
  failWithOutput()
  process.stdout.write(jsonOf(value, process.stdout.isTTY ? 2 : undefined))
  // Node tells of a disk that filled up in the middle of a write only with the next one.
  process.stdout.write('\n')
}

/** One JSON array of all the pages, written while they are read. */
export async function printPages(pages: AsyncIterable<readonly unknown[]>): Promise<void> {
  failWithOutput()
  let separator = '['
  for await (const page of pages) {
    for (const item of page) {
      const room = process.stdout.write(`${separator}${jsonOf(item)}`)
      separator = ',\n'
      if (!room) await once(process.stdout, 'drain')
    }
  }
  process.stdout.write(separator === '[' ? '[]\n' : ']\n')
}

const pageSize = 1_000

/** All that `read` gives, or the first `most`, as `shown`: each page after the last item of the one before. */
export async function* pagesOf<Of, Shown>(
  read: (limit: number, last: Of | undefined) => Promise<readonly Of[]>,
  shown: (one: Of) => Shown,
  most = Infinity,
): AsyncGenerator<Shown[]> {
  let last: Of | undefined
  for (let left = most; left > 0; ) {
    const page = await read(Math.min(left, pageSize), last)
    // A page may be short because its entries are large: only after an empty one there are no more.
    if (page.length === 0) return
    yield page.map(shown)
    left -= page.length
    last = page.at(-1)
  }
}
