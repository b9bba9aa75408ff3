import { type ComponentType, lazy, useEffect } from 'react'
import { matchRoute, Redirect, Route, Switch, useLocation, useRouter } from 'wouter'
import { Failure } from './parts/failure.tsx'
import { Loaded, Waiting } from './parts/loaded.tsx'
import { useFocusOfScreen } from './parts/next-row.ts'
import { Shell } from './parts/shell.tsx'
import { SignInAgain } from './parts/sign-in-again.tsx'
import { JoinScreen, SetupScreen } from './screens/coming-in/join.tsx'
import { ResetScreen } from './screens/coming-in/reset.tsx'
import { SignInScreen } from './screens/coming-in/sign-in.tsx'
import { NotFoundScreen, NowhereScreen } from './screens/not-found.tsx'
import { useAnySession } from './session.ts'

type Load = () => Promise<{ default: ComponentType }>
const loaded = (load: Load) => ({ load, component: lazy(load) })

/** Every screen behind a session, loaded when it is first opened. */
const screens: [path: string, screen: ReturnType<typeof loaded>][] = [
  ['/', loaded(() => import('./screens/overview/overview.tsx'))],
  ['/campaigns', loaded(() => import('./screens/campaigns/list/list.tsx'))],
  // One pattern for all parts: another one would make the screen again, under a lead over the list, and with the tab
  // that has the focus.
  ['/campaigns/:campaignId/:part?/:ref?', loaded(() => import('./screens/campaigns/campaign.tsx'))],
  ['/person', loaded(() => import('./screens/person/person.tsx'))],
  ['/integrations/:part?', loaded(() => import('./screens/integrations/integrations.tsx'))],
  ['/settings/:part?', loaded(() => import('./screens/settings/settings.tsx'))],
]

export function App() {
  const [path] = useLocation()
  useFocusOfScreen(path)
  return (
    <Switch>
      <Route path="/sign-in" component={SignInScreen} />
      <Route path="/setup" component={SetupScreen} />
      <Route path="/join" component={JoinScreen} />
      <Route path="/reset" component={ResetScreen} />
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
  const { parser } = useRouter()
  useEffect(() => {
    // Begun while the session is asked for: on a slow network that is a third of a second. Where it fails, the screen says so.
    const [, screen] = screens.find(([path]) => matchRoute(parser, path, location)[0]) ?? []
    screen?.load().catch(() => {})
  }, [parser, location])
  if (session.isPending) return <Waiting />
  // Where it is only asked again and that fails, the screen stays, with what was typed there.
  if (session.isLoadingError) return <Failure of={session} />
  if (!session.data.signedIn) {
    if (!isScreen(location)) return <NowhereScreen />
    // As the browser has it: the router's is decoded, and a search for "a & b" would end at "a".
    const here = `${location}${window.location.search}`
    return <Redirect to={`/sign-in${here === '/' ? '' : `?to=${encodeURIComponent(here)}`}`} replace />
  }
  return (
    <Shell session={session.data}>
      <Loaded>
        <Switch>
          {screens.map(([path, { component }]) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route component={NotFoundScreen} />
        </Switch>
      </Loaded>
      <SignInAgain />
    </Shell>
  )
}
