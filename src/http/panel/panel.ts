import type { FastifyPluginAsync } from 'fastify'

// A stub, until this surface stands on Fastify.
export const panel =
  (_parts: any): FastifyPluginAsync =>
  async () => {}
