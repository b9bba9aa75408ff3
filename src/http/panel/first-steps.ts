// How far a new account has come towards a live campaign with a lead.
import { forViewer } from './route.ts'

export const firstStepRoutes = {
  /** Of the newest campaign; `isDone` once any campaign is live and has a lead. */
  ...forViewer('GET /first-steps', {
    async run({ session, parts: { store } }) {
      const { configuration, counts, leads } = store
      const isDone = await configuration.isLiveWithLead(session.account.id)
      const newestId = await configuration.newestCampaign(session.account.id)
      const campaign = newestId === undefined ? undefined : await configuration.findCampaign(newestId)
      if (campaign === undefined) {
        return { isDone, campaign: null, hasPage: false, isPublished: false, isSeen: false, hasLead: false }
      }
      const { id, name, pages, isDraft } = campaign
      const [first] = await leads.list(campaign, { prefix: '', afterEmail: '', limit: 1 })
      return {
        isDone,
        campaign: { id, name },
        hasPage: pages.some(({ eligible }) => eligible),
        isPublished: !isDraft,
        isSeen: (await counts.sightings(campaign)).size > 0,
        hasLead: first !== undefined,
      }
    },
  }),
}
