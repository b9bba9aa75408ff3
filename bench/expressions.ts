// The regular expressions of src/, timed on hostile text of two lengths: what is linear grows by eight.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { parseSync, Visitor } from 'vite'

const src = join(import.meta.dirname, '..', 'src')
const small = 8_192
const large = 65_536
/** Below this a time is mostly that of asking the clock. */
const leastMicroseconds = 200
const limitMs = 10_000
const shown = 10

type Expression = { file: string; source: string; flags: string }
export type Growth = Expression & { small: number; large: number; growth: number }

/** Those that grow most come first. */
export async function growthOfExpressions(): Promise<{ timed: number; slowest: Growth[] }> {
  const expressions = await expressionsOf()
  const all = expressions.map(growthOf).sort((a, b) => b.growth - a.growth)
  return { timed: all.length, slowest: all.slice(0, shown) }
}

async function expressionsOf(): Promise<Expression[]> {
  const files = (readdirSync(src, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'))
  const found = files.flatMap((file) => writtenIn(file, readFileSync(join(src, file), 'utf8')))
  const composing = files.filter((file) => readFileSync(join(src, file), 'utf8').includes('new RegExp('))
  for (const file of composing) found.push(...(await composedIn(file)))
  return [...new Map(found.map((one) => [`${one.file} /${one.source}/${one.flags}`, one])).values()]
}

/** Literals, and the `pattern` of a schema, which Ajv compiles with the flag u. */
function writtenIn(file: string, text: string): Expression[] {
  const found: Expression[] = []
  const visitor = new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ file, source: node.regex.pattern, flags: node.regex.flags })
    },
    Property({ key, value }) {
      const isPattern = key.type === 'Identifier' && key.name === 'pattern' && value.type === 'Literal'
      if (isPattern && typeof value.value === 'string') found.push({ file, source: value.value, flags: 'u' })
    },
  })
  visitor.visit(parseSync(file, text).program)
  return found
}

/** What is put together by `new RegExp` while the file is loaded. */
async function composedIn(file: string): Promise<Expression[]> {
  const found: Expression[] = []
  const Own = globalThis.RegExp
  globalThis.RegExp = new Proxy(Own, {
    construct(target, [source, flags = '']: [string, string?]) {
      found.push({ file, source, flags })
      return new target(source, flags)
    },
  })
  try {
    await import(join(src, file))
  } finally {
    globalThis.RegExp = Own
  }
  return found
}

/** The three texts that take longest at 8 kB are measured again, at both lengths. */
function growthOf(expression: Expression): Growth {
  const regex = new RegExp(expression.source, expression.flags)
  const makers = hostileTexts(expression.source)
  const first = timesOf(
    regex,
    makers.map((make) => make(small)),
  )
  const order = makers.map((make, index) => ({ make, time: first[index] ?? limitMs * 1_000 }))
  order.sort((a, b) => b.time - a.time)
  const slowest = order.slice(0, 3).map(({ make }) => {
    const times = { small: leastTime(regex, make(small)), large: leastTime(regex, make(large)) }
    return { ...times, growth: times.large < leastMicroseconds ? 0 : times.large / times.small }
  })
  const [worst] = slowest.sort((a, b) => b.growth - a.growth || b.large - a.large)
  return { ...expression, ...(worst as (typeof slowest)[number]) }
}

/** Beginnings that the expression asks for, long runs of what it repeats, and an end that it does not expect. */
function hostileTexts(source: string): ((length: number) => string)[] {
  const words = source.match(/[A-Za-z0-9]{2,}|[:/@=;,.-]+/g) ?? []
  const beginnings = new Set(['', '"', 'a@', 'http://a', source.replace(/[\\^$()[\]{}?*+|]/g, ''), ...words])
  const letters = source.replace(/\\[sSdDwWbB]/g, '')
  const fills = new Set([
    ...' \t\r\n,;"%a0A.-_/\\@=&:<>é',
    'a.',
    'a-',
    '0.',
    '\\"',
    '%41',
    ', ',
    ' ,',
    'a ',
    ...letters,
  ])
  const ends = ['', '!', ' \0']
  return [...beginnings].flatMap((beginning) =>
    [...fills].flatMap((fill) =>
      ends.map((end) => (length: number) => {
        const times = Math.floor((length - beginning.length - end.length) / fill.length)
        return beginning + fill.repeat(times) + end
      }),
    ),
  )
}

/** Of three tries, where they are short: noise makes a time longer, never shorter. */
function leastTime(regex: RegExp, text: string): number {
  const [first = limitMs * 1_000] = timesOf(regex, [text])
  return first > 500_000 ? first : Math.min(first, ...timesOf(regex, [text, text]))
}

const context = createContext({ run: () => {} })
const script = new Script('run()')

/** Each in microseconds, as many as were matched within ten seconds: an expression may never end. */
function timesOf(regex: RegExp, texts: string[]): number[] {
  const times: number[] = []
  context.run = () => {
    for (const text of texts) {
      const startedAt = performance.now()
      regex.lastIndex = 0
      if (regex.global) text.replace(regex, '')
      else regex.test(text)
      times.push((performance.now() - startedAt) * 1_000)
    }
  }
  try {
    script.runInContext(context, { timeout: limitMs })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  }
  return times
}
