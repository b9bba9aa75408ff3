// Where the OpenID Connect provider sends people back to. They get a screen of the panel, never JSON.
import cookie from '@fastify/cookie'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { enter, type IdentityRefusal } from '../../access/identities.ts'
import { type Provider, ProviderFailed, type ProviderFault } from '../../access/provider.ts'
import { secondsOf } from '../../core/instant.ts'
import { errorCodeOf, logFailure } from '../errors.ts'
import type { PanelSurface } from './api.ts'
import { clientOf } from './device.ts'
import { unsealed } from './flow.ts'
import { callbackPath } from './provider.ts'
import { flowCookie, flowSeconds, sessionCookie } from './session-cookie.ts'

/** Why somebody who comes back is not let in; the sign-in screen explains each. */
export type ProviderRefusal = ProviderFault | IdentityRefusal | 'TOO_OLD' | 'SERVICE_UNAVAILABLE'

export function providerCallback(parts: PanelSurface): FastifyPluginAsync {
  return async (scope) => {
    const { provider } = parts
    if (provider === null) return
    await scope.register(cookie)
    // Not for HEAD: a code works once, and link scanners would use it up.
    scope.get(callbackPath, { exposeHeadRoute: false }, async (request, reply) => {
      const { publicUrl } = parts.site
      const came = await comeBack(parts, provider, request, reply).catch((error) => refusalOf(parts, error, request))
      if (typeof came === 'string') return reply.redirect(`${publicUrl}/sign-in?refused=${came}`, 303)
      sessionCookie.write(reply, came.token, publicUrl)
      // A search may have letters that no header can carry.
      return reply.redirect(new URL(`${publicUrl}${came.to}`).href, 303)
    })
  }
}

type Entered = { token: string; to: string }

async function comeBack(
  parts: PanelSurface,
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Entered | ProviderRefusal> {
  const { store, users, site } = parts
  const now = secondsOf(parts.now())
  const flow = await unsealed(store.access, flowCookie.read(request, site.publicUrl), now)
  if (flow === undefined) return 'TOO_OLD'
  const query = request.url.slice(request.url.indexOf('?') + 1)
  // It was begun earlier, in another tab, or by somebody else: what this browser keeps is left for its own return.
  if (new URLSearchParams(query).get('state') !== flow.checks.state) return 'TOO_OLD'
  flowCookie.write(reply, null, site.publicUrl)
  // Each return works once, even if the cookie was copied.
  const once = { name: `flow ${flow.checks.state}`, most: 1, seconds: flowSeconds }
  if (!(await store.access.countTries([once], now))) return 'TOO_OLD'
  const identity = await provider.finish(`${site.publicUrl}${callbackPath}`, query, flow.checks)
  const entered = await enter(store, identity, flow.following, clientOf(request), now)
  if (typeof entered === 'string') return entered
  await users.signOut(sessionCookie.read(request, site.publicUrl))
  return { token: entered.token, to: flow.to }
}

function refusalOf({ log }: PanelSurface, error: unknown, request: FastifyRequest): ProviderRefusal {
  const code = error instanceof ProviderFailed ? error.fault : errorCodeOf(error)
  logFailure(log, code, error, request)
  return error instanceof ProviderFailed ? error.fault : 'SERVICE_UNAVAILABLE'
}
