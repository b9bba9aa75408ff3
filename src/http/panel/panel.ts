// The customer's panel: its pages, and the API behind a session that they call.
import helmet from '@fastify/helmet'
import type { FastifyPluginAsync } from 'fastify'
import { type PanelSurface, panelApi } from './api.ts'
import { pages } from './pages.ts'

const none = ["'none'"]
const own = ["'self'"]

const contentPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: none,
    scriptSrc: own,
    // Mantine writes its variables into a style element, and React styles into attributes.
    styleSrc: [...own, "'unsafe-inline'"],
    imgSrc: [...own, 'data:', 'blob:'],
    fontSrc: own,
    connectSrc: own,
    baseUri: own,
    formAction: own,
    frameAncestors: none,
  },
}

/** To be registered without a prefix: the screens have addresses of their own. */
export function panel(parts: PanelSurface): FastifyPluginAsync {
  return async (scope) => {
    await scope.register(helmet, {
      contentSecurityPolicy: contentPolicy,
      xFrameOptions: { action: 'deny' },
      // The operator decides whether a host is reached by https alone.
      strictTransportSecurity: false,
    })
    scope.register(panelApi(parts), { prefix: '/panel/api' })
    scope.register(pages(parts))
  }
}
