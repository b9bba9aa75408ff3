// A customer's server that is told of events: it verifies each request with the library of Standard Webhooks, keeps
// what came, and answers as it is told to.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { eventually } from './api.ts'
import { holdTold } from './description.ts'
import type { Scope } from './lastcall.ts'

export type Received = {
  id: string
  path: string
  type: string
  timestamp: string
  data: any
  headers: IncomingMessage['headers']
  raw: string
  atMs: number
  isVerified: boolean
}

type Answer = (received: Received, response: ServerResponse) => void

export type Receiver = {
  origin: string
  all: Received[]
  /** By the path that the endpoint has; without one, 204 is answered. */
  answers: Map<string, Answer>
  secrets: Map<string, string>
  /** What came to the path, once it is so many. */
  wait(path: string, count: number, seconds?: number): Promise<Received[]>
}

/** With a `description` of the API, what came is held to that. */
export async function openReceiver(scope: Scope, description?: object): Promise<Receiver> {
  const all: Received[] = []
  const answers = new Map<string, Answer>()
  const secrets = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    const { headers } = request
    const isVerified = verifies(secrets.get(path), raw, headers)
    const received = {
      id: String(headers['webhook-id']),
      path,
      ...JSON.parse(raw),
      headers,
      raw,
      atMs: Date.now(),
      isVerified,
    }
    all.push(received)
    const answer = answers.get(path)
    if (answer === undefined) response.writeHead(204).end()
    else answer(received, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  scope.after(async () => {
    server.closeAllConnections()
    server.close()
  })
  const at = (path: string) => all.filter((one) => one.path === path)
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ all, answers, secrets },
    async wait(path, count, seconds = 10) {
      const came = await eventually(
        seconds,
        async () => at(path),
        ({ length }) => length >= count,
      )
      if (description) for (const { raw } of came) holdTold(JSON.parse(raw), description)
      return came
    },
  }
}

export function verifies(secret: string | undefined, raw: string, headers: IncomingMessage['headers']): boolean {
  if (secret === undefined) return false
  try {
    new Webhook(secret).verify(raw, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

export const answering =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end()
  }
