// A mail server that keeps what it is given.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { Scope } from './lastcall.ts'
import { startShared } from './panel-session.ts'
import { processScope } from './process-scope.ts'

export type Received = { from: string; to: string[]; text: string; user: string }

const login = { user: 'shop', password: 'hunter2' }

export async function mailServer(scope: Scope) {
  const received: Received[] = []
  /** A server that is full refuses the mail itself; another one takes its time, or waits until it may go on. */
  const state = { isFull: false, delayMs: 0, mayGoOn: Promise.resolve(), waiting: 0 }
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      const isRight = username === login.user && password === login.password
      if (isRight) done(null, { user: username })
      else done(new Error('wrong login'))
    },
    onData(stream, { envelope, user }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (state.isFull) return done(new Error('no room for owner@example.com'))
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        state.waiting += 1
        setTimeout(async () => {
          await state.mayGoOn
          state.waiting -= 1
          received.push({ from, to, text: Buffer.concat(chunks).toString(), user: String(user) })
          done()
        }, state.delayMs).unref()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  scope.after(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://${login.user}:${login.password}@127.0.0.1:${port}`, received, state }
}

let mailing: ReturnType<typeof startMailing> | undefined

/** A server that sends mails, for all files of the process; each test leaves the state of `mail` as it was. */
export async function mailingServer() {
  mailing ??= startMailing()
  return await mailing
}

async function startMailing() {
  const mail = await mailServer(processScope)
  const from = 'Lastcall <offers@shop.example>'
  return { mail, ...(await startShared({ SMTP_URL: mail.url, SMTP_FROM: from })) }
}
