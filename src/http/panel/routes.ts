// Every route of the panel's API: what is not in this table does not exist.
import { auditRoutes } from './audit.ts'
import { campaignRoutes } from './campaigns.ts'
import { historyRoutes } from './history.ts'
import { keyRoutes } from './keys.ts'
import { leadRoutes } from './leads.ts'
import { mailRoutes } from './mail.ts'
import { offerPageRoutes } from './offer-pages.ts'
import { overviewRoutes } from './overview.ts'
import { passwordResetRoutes } from './password-reset.ts'
import { personRoutes } from './person.ts'
import { previewRoutes } from './preview.ts'
import { providerRoutes } from './provider.ts'
import { referenceRoutes } from './reference.ts'
import { resultsRoutes } from './results.ts'
import type { Route } from './route.ts'
import { salesRoutes } from './sales.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sessionRoutes } from './sessions.ts'
import { timeZoneRoutes } from './time-zones.ts'
import { userRoutes } from './users.ts'
import { webhookRoutes } from './webhooks.ts'

export const routes = {
  ...userRoutes,
  ...passwordResetRoutes,
  ...providerRoutes,
  ...secondFactorRoutes,
  ...sessionRoutes,
  ...overviewRoutes,
  ...campaignRoutes,
  ...resultsRoutes,
  ...offerPageRoutes,
  ...mailRoutes,
  ...referenceRoutes,
  ...keyRoutes,
  ...historyRoutes,
  ...auditRoutes,
  ...leadRoutes,
  ...salesRoutes,
  ...personRoutes,
  ...previewRoutes,
  ...timeZoneRoutes,
  ...webhookRoutes,
} satisfies Record<string, Route>

export type Routes = typeof routes
