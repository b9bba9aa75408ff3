// What Node's parser is given of a connection: all of it, in order, little at a time, and nothing while it wants none.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import {
  enqueue,
  leaveQueue,
  newConnection,
  parseInPieces,
  parseWhatCame,
} from '../../src/http/connection.ts'

/** Requests of these bytes that a piece holds at most, and how many may wait before no further one is given. */
const requestBytes = 32
const perPiece = 2_048 / requestBytes
const maxWaiting = 128

/** What the parser does behind a piece: nothing, or it stops the socket as Node does for answers that nobody takes. */
const step = fc.record({ stops: fc.boolean(), answers: fc.nat(200) })

test('every byte is parsed once and in order, whoever stops it, and none while the parser has', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(20_000), { maxLength: 6 }),
      fc.array(step, { minLength: 1, maxLength: 20 }),
      async (sizes, steps) => {
        const socket = new PassThrough() as unknown as Socket
        const connection = newConnection(socket, false)
        const parsed: Buffer[] = []
        let hasStopped = false
        let unwanted = false
        let most = 0
        parseInPieces(connection, (bytes) => {
          unwanted ||= hasStopped
          const { stops } = steps[parsed.length % steps.length] as (typeof steps)[0]
          parsed.push(bytes)
          for (let n = 0; n < bytes.length; n += requestBytes) enqueue(connection)
          most = Math.max(most, connection.waiting)
          hasStopped = stops
          if (stops) socket.pause()
        })
        const sent = sizes.map((size, n) => Buffer.alloc(size, n + 1))
        for (const bytes of sent) if (bytes.length > 0) socket.write(bytes)
        const total = sizes.reduce((sum, size) => sum + size, 0)
        const length = () => parsed.reduce((sum, bytes) => sum + bytes.length, 0)
        for (let n = 0; length() < total || connection.waiting > 0; n += 1) {
          assert.ok(n < 5_000, `stopped for ever behind ${length()} of ${total} bytes`)
          const { answers } = steps[n % steps.length] as (typeof steps)[0]
          for (let left = answers + 1; left > 0 && connection.waiting > 0; left -= 1) leaveQueue(connection)
          if (hasStopped && n % 3 === 2) {
            hasStopped = false
            socket.resume()
          }
          await turn()
        }
        assert.ok(!unwanted, 'given to a parser that has stopped')
        assert.ok(Buffer.concat(parsed).equals(Buffer.concat(sent)))
        assert.ok(most < maxWaiting + perPiece, `${most} waited`)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('what was read before a stop is parsed, however many requests wait, and nothing that comes after it', async () => {
  const socket = new PassThrough() as unknown as Socket
  const connection = newConnection(socket, false)
  let parsed = 0
  parseInPieces(connection, (bytes) => {
    parsed += bytes.length
    for (let n = 0; n < bytes.length; n += requestBytes) enqueue(connection)
  })
  const read = 20_000
  socket.write(Buffer.alloc(read))
  await turn()
  assert.ok(parsed < (maxWaiting + perPiece) * requestBytes, `${parsed} bytes were parsed before`)
  parseWhatCame(connection)
  socket.write(Buffer.alloc(read))
  await turn()
  assert.ok(parsed >= read && parsed < read + 2_048, `${parsed} of ${read} bytes`)
})
