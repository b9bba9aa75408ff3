// A process that runs commands one after the other, each by main.ts as the command line does. Told by its parent.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

export type Asked = { args: string[]; folder: string; env: Record<string, string>; input: string }
/** `isClean`: it left nothing open. */
export type Answered = { code: number; stdout: string; stderr: string; isClean: boolean }

const main = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', 'main.ts')).href
/** What main.ts ends a command with that has failed. */
type Exit = { exitCode: number }
let runs = 0

const end = process.exit
process.once('disconnect', () => end())
process.exit = ((exitCode: number) => {
  throw { exitCode } satisfies Exit
}) as typeof process.exit

function caught(stream: NodeJS.WriteStream): () => string {
  let text = ''
  stream.write = (part: string | Uint8Array) => {
    text += part
    return true
  }
  return () => text
}

const openFiles = '/proc/self/fd'
/** Files, sockets, threads and timers; not known but on Linux. */
const countOpen = () =>
  existsSync(openFiles) ? readdirSync(openFiles).length + process.getActiveResourcesInfo().length : Number.NaN

async function run({ args, folder, env, input }: Asked): Promise<Answered> {
  const before = countOpen()
  process.chdir(folder)
  process.env = { ...env }
  process.argv.splice(2, Infinity, ...args)
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
  const stdout = caught(process.stdout)
  const stderr = caught(process.stderr)
  let code = 0
  try {
    // Another address is another module, which runs again.
    await import(`${main}?${++runs}`)
  } catch (error) {
    if ((error as Partial<Exit>).exitCode === undefined) throw error
    code = (error as Exit).exitCode
  }
  // What was closed last is gone a turn later.
  await nextTurn()
  return { code, stdout: stdout(), stderr: stderr(), isClean: countOpen() <= before }
}

process.on('message', async (asked: Asked) => process.send?.(await run(asked)))
