// Attacks on the panel: tries to sign in, countdown images to be drawn, and bodies full of faults.
import type { Attack } from './hostile-load.ts'

/** `gets`: the statuses of its answers. */
type Kind = Pick<Attack, 'begin'> & Partial<Attack> & { gets: string[] }

/** `cookie` is that of the attacker's session. */
export type PanelTarget = { campaignId: number; cookie: string }

const many = 20_000
const asksAgain = true

/** Each kind by its name; the server believes `X-Forwarded-For` of this machine. */
export function panelKinds(target: PanelTarget): Record<string, Kind> {
  const { campaignId, cookie } = target
  const times = (make: (n: number) => string, count = many) => Array.from({ length: count }, (_, n) => make(n))
  const signIn = (from: string, email: string) =>
    post('/session', JSON.stringify({ email, password: 'a guess' }), `X-Forwarded-For: ${from}\r\n`)
  const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
  const style = (n: number) => ({ pixelsPerPoint: 2, digits: `#${String(100_000 + n)}` })
  const picture = (n: number) => JSON.stringify({ style: style(n), language: 'en', secondsLeft: 100 })
  const wrongEmails = JSON.stringify({ emails: Array(500_000).fill(1) })
  const unknown = JSON.stringify({ email: 'a@example.com', password: 'a', ['ü'.repeat(28_000)]: 1 })
  const refused = ['403', '429']
  const behind = `Cookie: ${cookie}\r\n`
  return {
    'tries to sign in from one address': {
      begin: times((n) => signIn('192.0.2.1', `guess-${n}@example.com`)),
      asksAgain,
      gets: refused,
    },
    'tries to sign in from many addresses': {
      begin: times((n) => signIn(address(n), `guess-${n % 500}@example.com`)),
      asksAgain,
      gets: refused,
    },
    'tries to sign in from many addresses, with an email each': {
      begin: times((n) => signIn(address(n + many), `other-${n}@example.com`)),
      asksAgain,
      gets: refused,
    },
    'timer pictures': {
      begin: times((n) => post('/timer-picture', picture(n), behind), 2_000),
      asksAgain,
      // So many new styles a minute, then no more.
      gets: ['200', '429'],
    },
    'imports of 1 MB': {
      begin: [post(`/campaigns/${campaignId}/leads/import`, wrongEmails, behind)],
      asksAgain,
      gets: ['422'],
    },
    'bodies of 57 kB without a session': { begin: [post('/session', unknown, '')], asksAgain, gets: ['422'] },
  }
}

function post(path: string, body: string, fields: string): string {
  const length = Buffer.byteLength(body)
  const head = `POST /panel/api${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${fields}`
  // It is sent as latin1.
  return `${head}Content-Length: ${length}\r\n\r\n${Buffer.from(body).toString('latin1')}`
}
