// Every route of the panel's API: what is not in this table does not exist.
import { campaignRoutes } from './campaigns.ts'
import { historyRoutes } from './history.ts'
import { keyRoutes } from './keys.ts'
import { peopleRoutes } from './people.ts'

export const routes = {
  ...peopleRoutes,
  ...campaignRoutes,
  ...keyRoutes,
  ...historyRoutes,
}

export type Routes = typeof routes
