// Hostile clients, as a process of their own that yields to all others: what they cost themselves is not measured.
// Driven by one message from hostile.ts; they begin again as often as the server ends them.
import { connect, type Socket } from 'node:net'

export type Attack = {
  port: number
  connections: number
  seconds: number
  /** What a connection begins with, each in its turn. */
  begin: string[]
  /** Then bytes of this, endlessly; empty for none. */
  stream: string
  /** So many bytes at a time, and so long between them; 0 ms: as fast as the connection takes them. */
  bytes: number
  everyMs: number
  /** Whether answers are read. */
  reads: boolean
  /** Whether the next of `begin` follows as soon as an answer is there. */
  asksAgain: boolean
}

/** How many answers had which status, but for those whose status came in two parts. */
export type AttackOutcome = { opened: number; statuses: Record<string, number>; sentBytes: number }

type Count = AttackOutcome & { isOver: boolean; turn: number }

process.on('message', async (attack: Attack) => {
  const count: Count = { opened: 0, statuses: {}, sentBytes: 0, isOver: false, turn: 0 }
  const sockets = new Set<Socket>()
  for (let n = 0; n < attack.connections; n += 1) open(attack, count, sockets)
  await new Promise((resolve) => setTimeout(resolve, attack.seconds * 1000))
  count.isOver = true
  for (const socket of sockets) socket.destroy()
  const { opened, statuses, sentBytes } = count
  process.send?.({ opened, statuses, sentBytes })
})

function open(attack: Attack, count: Count, sockets: Set<Socket>): void {
  const socket = connect({ port: attack.port, host: '127.0.0.1', noDelay: true })
  const chunk = Buffer.from(attack.stream.slice(0, attack.bytes) || 'x', 'latin1')
  let timer: NodeJS.Timeout | undefined
  sockets.add(socket)
  const begin = () => {
    const text = attack.begin[count.turn++ % attack.begin.length] ?? ''
    count.sentBytes += text.length
    socket.write(text, 'latin1')
  }
  const pour = () => {
    while (!count.isOver && socket.writable) {
      count.sentBytes += chunk.length
      if (!socket.write(chunk)) return
    }
  }
  const drip = () => {
    count.sentBytes += chunk.length
    socket.write(chunk)
  }
  socket.on('connect', () => {
    count.opened += 1
    begin()
    if (attack.stream === '') return
    if (attack.everyMs > 0) timer = setInterval(drip, attack.everyMs)
    else pour()
  })
  socket.on('drain', () => {
    if (attack.stream !== '' && attack.everyMs === 0) pour()
  })
  if (attack.reads) {
    socket.on('data', (bytes) => {
      for (const [, status = ''] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
        count.statuses[status] = (count.statuses[status] ?? 0) + 1
      if (attack.asksAgain && !count.isOver) begin()
    })
  } else socket.pause()
  socket.on('error', () => {})
  socket.on('close', () => {
    clearInterval(timer)
    sockets.delete(socket)
    // Not at once: who is turned away without an answer would only measure the opening of connections.
    if (!count.isOver) setTimeout(() => !count.isOver && open(attack, count, sockets), 10)
  })
}
