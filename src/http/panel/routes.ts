// Every route of the panel's API: what is not in this table does not exist.
import { campaignRoutes } from './campaigns.ts'
import { peopleRoutes } from './people.ts'
import { previewRoutes } from './preview.ts'

export const routes = {
  ...peopleRoutes,
  ...campaignRoutes,
  ...previewRoutes,
}

export type Routes = typeof routes
