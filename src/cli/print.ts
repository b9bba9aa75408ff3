import { once } from 'node:events'

/** Standard output: one JSON document, indented on a terminal. */
export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`)
}

/** One JSON array of all the pages, written while they are read. */
export async function printPages(
  pages: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
): Promise<void> {
  let separator = '['
  for await (const page of pages) {
    for (const item of page) {
      const room = process.stdout.write(`${separator}${JSON.stringify(item)}`)
      separator = ',\n'
      if (!room) await once(process.stdout, 'drain')
    }
  }
  process.stdout.write(separator === '[' ? '[]\n' : ']\n')
}
