// Where a user is signed in.
import Type from 'typebox'
import { closed } from '../schemas.ts'
import { PanelRefusal } from './errors.ts'
import { forViewer } from './route.ts'

export const sessionRoutes = {
  ...forViewer('GET /sessions', {
    run: async ({ session, token, parts, now }) => ({
      sessions: await parts.users.sessions(session.user.id, token, now),
    }),
  }),
  ...forViewer('DELETE /sessions', {
    query: Type.Object({ but: Type.Literal('this') }, closed),
    async run({ session, token, parts }) {
      await parts.users.endOtherSessions(session.user.id, token)
      return {}
    },
  }),
  ...forViewer('DELETE /sessions/:sessionId', {
    async run({ session, params, parts }) {
      if (!(await parts.users.endSession(session.user.id, params.sessionId))) throw new PanelRefusal('NOT_FOUND')
      return {}
    },
  }),
}
