import { type ComponentType, lazy } from 'react'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { Failure } from './parts/failure.tsx'
import { Loaded, Waiting } from './parts/loaded.tsx'
import { Shell } from './parts/shell.tsx'
import { SignInAgain } from './parts/sign-in-again.tsx'
import { JoinScreen, SetupScreen } from './screens/coming-in/join.tsx'
import { SignInScreen } from './screens/coming-in/sign-in.tsx'
import { NotFoundScreen, NowhereScreen } from './screens/not-found.tsx'
import { useAnySession } from './session.ts'

const campaign = lazy(() => import('./screens/campaigns/campaign.tsx'))
const integrations = lazy(() => import('./screens/integrations/integrations.tsx'))
const settings = lazy(() => import('./screens/settings/settings.tsx'))

/** Every screen behind a session, loaded when it is first opened. */
const screens: [path: string, screen: ComponentType][] = [
  ['/', lazy(() => import('./screens/overview/overview.tsx'))],
  ['/campaigns', lazy(() => import('./screens/campaigns/list/list.tsx'))],
  // One pattern for all: what lies over a part, as a lead over the list, must not make it anew.
  ['/campaigns/:campaignId/:part?/:ref?', campaign],
  ['/person', lazy(() => import('./screens/person/person.tsx'))],
  ['/integrations', integrations],
  ['/integrations/:part', integrations],
  ['/settings', settings],
  ['/settings/:part', settings],
]

export function App() {
  return (
    <Switch>
      <Route path="/sign-in" component={SignInScreen} />
      <Route path="/setup" component={SetupScreen} />
      <Route path="/join" component={JoinScreen} />
      <Route component={BehindSession} />
    </Switch>
  )
}

/** Whether there is a screen at such an address: nobody signs in to be told that there is none. */
function isScreen(location: string): boolean {
  const [, first] = location.split('/')
  return screens.some(([path]) => path.split('/')[1] === first)
}

function BehindSession() {
  const session = useAnySession()
  const [location] = useLocation()
  const search = useSearch()
  if (session.isPending) return <Waiting />
  if (session.isError) return <Failure of={session} />
  if (!session.data.signedIn) {
    if (!isScreen(location)) return <NowhereScreen />
    const here = `${location}${search === '' ? '' : `?${search}`}`
    return <Redirect to={`/sign-in${here === '/' ? '' : `?to=${encodeURIComponent(here)}`}`} replace />
  }
  return (
    <Shell session={session.data}>
      <Loaded>
        <Switch>
          {screens.map(([path, screen]) => (
            <Route key={path} path={path} component={screen} />
          ))}
          <Route component={NotFoundScreen} />
        </Switch>
      </Loaded>
      <SignInAgain />
    </Shell>
  )
}
