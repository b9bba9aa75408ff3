// Every route of the panel's API: what is not in this table does not exist.
import { peopleRoutes } from './people.ts'

export const routes = {
  ...peopleRoutes,
}

export type Routes = typeof routes
