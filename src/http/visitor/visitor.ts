// Everything that recipients open. Contract, "What opening does".
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { sendError } from '../errors.ts'
import { gate } from './gate.ts'
import { links } from './links.ts'
import type { VisitorParts } from './parts.ts'
import { sendNothing, timers } from './timers.ts'
import { widget } from './widget.ts'
import { widgetApi } from './widget-api.ts'

const timerPrefix = '/timer'

export function visitor(parts: VisitorParts): FastifyPluginAsync {
  return async (scope) => {
    scope.register(links(parts), { prefix: '/go' })
    scope.register(timers(parts), { prefix: timerPrefix })
    scope.register(widget(parts.log), { prefix: '/widget' })
    scope.register(widgetApi(parts), { prefix: '/visitor/v1' })
    scope.register(gate(parts), { prefix: '/visitor/v1' })
  }
}

/** An address that cannot be decoded reaches no surface. Below /timer the answer must still be an image. */
export function sendUndecodable(reply: FastifyReply): FastifyReply {
  const isImage = reply.request.url.startsWith(`${timerPrefix}/`)
  return isImage ? sendNothing(reply, 'unknown') : sendError(reply, 'NOT_FOUND')
}
