// The panel: its pages, and the API that they call with a session.
import helmet from '@fastify/helmet'
import type { FastifyPluginAsync } from 'fastify'
import { sendError } from '../errors.ts'
import { type PanelSurface, panelApi } from './api.ts'
import { contentPolicy, permissionsPolicy } from './content-policy.ts'
import { isOfBrowser, pages, sendDocument } from './pages.ts'
import { providerCallback } from './provider-callback.ts'
import { widgetPicture } from './widget-picture.ts'

/** To be registered without a prefix: the screens have addresses of their own. */
export function panel(parts: PanelSurface): FastifyPluginAsync {
  return async (scope) => {
    await scope.register(helmet, {
      contentSecurityPolicy: contentPolicy(),
      crossOriginEmbedderPolicy: true,
      xFrameOptions: { action: 'deny' },
      // Every answer of the server has it, where the public URL is https.
      strictTransportSecurity: false,
    })
    scope.addHook('onRequest', async (_, reply) => {
      reply.header('Permissions-Policy', permissionsPolicy)
    })
    // For every address that no other surface has.
    scope.setNotFoundHandler((request, reply) =>
      isOfBrowser(request) ? sendDocument(reply.code(404), parts.site.publicUrl) : sendError(reply, 'NOT_FOUND'),
    )
    scope.register(panelApi(parts), { prefix: '/panel/api' })
    scope.register(providerCallback(parts))
    scope.register(pages(parts))
    scope.register(widgetPicture(parts.now))
  }
}
