import type { FastifyReply } from 'fastify'

/** For answers at a lead's link: its ref must leak neither by a cache nor by a referrer. */
export const neverKept = {
  'Cache-Control': 'no-store, no-cache, must-revalidate, max-age=0',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
}

/** Answers a preflight (Fetch standard, "CORS-preflight fetch"). */
export function allow(reply: FastifyReply, methods: string, headers: string): FastifyReply {
  const allowed = { 'Access-Control-Allow-Methods': methods, 'Access-Control-Allow-Headers': headers }
  return reply
    .code(204)
    .headers({ ...allowed, 'Access-Control-Max-Age': '86400' })
    .send()
}
