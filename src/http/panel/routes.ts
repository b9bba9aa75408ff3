// Every route of the panel's API: what is not in this table does not exist.
import { campaignRoutes } from './campaigns.ts'
import { leadRoutes } from './leads.ts'
import { peopleRoutes } from './people.ts'

export const routes = {
  ...peopleRoutes,
  ...campaignRoutes,
  ...leadRoutes,
}

export type Routes = typeof routes
