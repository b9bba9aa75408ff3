// Everything that recipients open. Contract, "What opening does".
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { sendError } from '../errors.ts'
import { gate } from './gate.ts'
import { links } from './links.ts'
import type { VisitorParts } from './parts.ts'
import { sendNothing, timers } from './timers.ts'
import { widget } from './widget.ts'
import { widgetApi } from './widget-api.ts'
import { sendWords } from './words-page.ts'

const linkPrefix = '/go'
const timerPrefix = '/timer'

export function visitor(parts: VisitorParts): FastifyPluginAsync {
  return async (scope) => {
    scope.register(links(parts), { prefix: linkPrefix })
    scope.register(timers(parts), { prefix: timerPrefix })
    scope.register(widget, { prefix: '/widget' })
    scope.register(widgetApi(parts), { prefix: '/visitor/v1' })
    scope.register(gate(parts), { prefix: '/visitor/v1' })
  }
}

/** An address that cannot be decoded reaches no surface. What recipients open is still an image or a page for people. */
export function sendUndecodable(reply: FastifyReply): FastifyReply {
  const { url } = reply.request
  if (url.startsWith(`${timerPrefix}/`)) return sendNothing(reply, 'unknown')
  return url.startsWith(`${linkPrefix}/`) ? sendWords(reply, 404) : sendError(reply, 'NOT_FOUND')
}
