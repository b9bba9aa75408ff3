// The yardstick: node:http and nothing else. It reads the body whole and writes an answer of a given size, in JSON
// or with given headers.
// node bench/bare.ts STATUS BYTES [HEADERS]
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const status = Number(process.argv[2])
const bytes = Number(process.argv[3])
const given: string[] | undefined = process.argv[4] && JSON.parse(process.argv[4])
const json = JSON.stringify({ fill: 'x'.repeat(Math.max(0, bytes - 11)) })
const answer = given === undefined ? json : Buffer.alloc(bytes, 'x')
const headers =
  given === undefined
    ? { 'content-type': 'application/json', 'content-length': answer.length }
    : [...given, 'Content-Length', String(bytes)]

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks)
    response.writeHead(status, headers)
    response.end(answer)
  })
})

server.listen(0, '127.0.0.1', () => {
  console.log(`Bare listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => process.exit(0))
