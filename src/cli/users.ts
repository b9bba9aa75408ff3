import { isUtf8 } from 'node:buffer'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { passwordMaxLength, passwordMinLength } from '../access/passwords.ts'
import { AccessRefused } from '../access/refused.ts'
import { buildUsers, type Users } from '../access/users.ts'
import { formatInstant } from '../core/instant.ts'
import { roles } from '../core/role.ts'
import type { User } from '../store/access.ts'
import { emailText, idNumber, need, oneOf, readArguments } from './arguments.ts'
import { type Command, commandActor, publicAddress, warnOfAddress, withAccount, withStore } from './command.ts'
import { WrongCall, wrongIn } from './wrong-call.ts'

export const createUser: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber, email: emailText, role: oneOf(roles) })
  const email = need(options.email, '--email')
  const { role = 'owner' } = options
  return withAccount(options.account, async (store, accountId) => {
    const password = await readPassword()
    const made = buildUsers(store).create(accountId, { email, password, role }, commandActor())
    return shown(await made.catch(wrongIn('--email')).catch(asWrongPassword))
  })
}

export const resetUser: Command = async (args) => {
  const { options } = readArguments(args, { email: emailText })
  return withUser(options.email, async (users, { email }) => {
    const password = await readPassword()
    const isReset = await users.reset(email, password, commandActor()).catch(asWrongPassword)
    if (!isReset) throw noUser()
    return { reset: true }
  })
}

export const setUser: Command = async (args) => {
  const { options } = readArguments(args, { email: emailText, role: oneOf(roles) })
  const role = need(options.role, '--role')
  return withUser(options.email, async (users, { accountId, id }) => {
    const user = await users.setRole(accountId, id, role, commandActor()).catch(wrongIn('--role'))
    if (user === undefined) throw noUser()
    return shown(user)
  })
}

/** For a user who has lost phone and recovery codes; their password stays. */
export const resetFactor: Command = async (args) => {
  const { options } = readArguments(args, { email: emailText })
  return withUser(options.email, async (users, user) => ({ reset: await users.resetFactor(user, commandActor()) }))
}

export const setupLink: Command = async (args) => {
  readArguments(args, {})
  // Read first, so that a wrong PUBLIC_URL does not leave a link behind that nobody has seen.
  const address = publicAddress()
  return withStore(
    async (store) => {
      const users = buildUsers(store)
      if (!(await users.isEmpty())) {
        throw new WrongCall('there is a user already: invite others in the panel, or use user create')
      }
      const token = await users.invite(null, { role: 'owner', email: null }, commandActor())
      const isAnother = (await store.configuration.listAccounts()).length > 0
      warnOfAddress()
      const note = 'the link makes another account; for a user of one that is there: user create --account ID'
      return { url: `${address}/setup#${token}`, ...(isAnother && { note }) }
    },
    { mayCreate: true },
  )
}

/** Runs `work` on the user that the caller named. @throws WrongCall */
async function withUser<T>(named: string | undefined, work: (users: Users, user: User) => Promise<T>): Promise<T> {
  const email = need(named, '--email')
  return withStore(async (store) => {
    const users = buildUsers(store)
    const user = await users.find(email)
    if (user === undefined) throw noUser()
    return work(users, user)
  })
}

const noUser = () => new WrongCall('--email: no panel user has this email')

function asWrongPassword(error: unknown): never {
  const isCommon = error instanceof AccessRefused && error.code === 'COMMON_PASSWORD'
  throw isCommon ? new WrongCall('the password is too common: choose another') : error
}

function shown({ id, accountId, email, role, createdAt }: User) {
  return { id, accountId, email, role, createdAt: formatInstant(createdAt) }
}

/** Typed unseen on a terminal, twice, otherwise the first line of standard input. @throws WrongCall */
async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return ofGoodLength(await firstLine())
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  using terminal = createInterface({ input: process.stdin, output: unseen, terminal: true })
  terminal.on('SIGINT', () => process.exit(130))
  const lines = terminal[Symbol.asyncIterator]()
  const ask = async (question: string) => {
    process.stderr.write(question)
    // Ctrl-D ends it without a line.
    const { value = '' } = await lines.next()
    process.stderr.write('\n')
    return value
  }
  const password = ofGoodLength(await ask('Password: '))
  if ((await ask('The same again: ')) !== password) throw new WrongCall('the two passwords differ: nothing was changed')
  return password
}

/** The password. @throws WrongCall */
function ofGoodLength(password: string): string {
  const length = [...password].length
  if (length < passwordMinLength || length > passwordMaxLength) {
    throw new WrongCall(
      `the password must have ${passwordMinLength} to ${passwordMaxLength} characters; it is read from the terminal or standard input`,
    )
  }
  return password
}

async function firstLine(): Promise<string> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of process.stdin) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)])
    if (bytes.includes('\n') || bytes.length > 4 * passwordMaxLength) break
  }
  const end = bytes.indexOf('\n')
  const line = end < 0 ? bytes : bytes.subarray(0, end)
  // A password that is too long may be cut in the middle of a character.
  if (!isUtf8(line) && line.length <= 4 * passwordMaxLength) throw new WrongCall('the password must be in UTF-8')
  // Without the byte order mark that Windows' editors write.
  return new TextDecoder().decode(line).replace(/\r$/, '')
}
