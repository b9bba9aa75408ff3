// Preloaded into a process of a test: it kills itself before one statement of all that it sends to PostgreSQL.
import pg from 'pg'

const killAt = Number(process.env.TEST_KILL_AT)
const { query } = pg.Client.prototype
let statements = 0

type Query = (this: pg.Client, ...args: unknown[]) => Promise<unknown>

pg.Client.prototype.query = async function (this: pg.Client, ...args: unknown[]) {
  const [text, values] = args
  const isScript = typeof text === 'string' && (values as unknown[] | undefined)?.length === 0
  const parts = isScript ? text.replace(/--.*$/gm, '').split(';') : [text]
  let result: unknown
  for (const part of parts) {
    if (typeof part === 'string' && part.trim() === '') continue
    statements += 1
    if (statements === killAt) process.kill(process.pid, 'SIGKILL')
    result = await (query as Query).call(this, part, ...args.slice(1))
  }
  return result
} as never
