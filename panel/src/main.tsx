import '@mantine/core/styles.css'
import './panel.css'
import { MantineProvider } from '@mantine/core'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { CallFailed, keyOf } from './api.ts'
import { App } from './app.tsx'
import { nameBrowserLanguage } from './language.ts'
import { aroundNav } from './leaving.ts'
import { LanguageProvider } from './parts/language-provider.tsx'
import { closedMs } from './parts/next-row.ts'
import { readable, theme } from './theme.ts'

/** Not after a minute without an answer: two more would pass before the reader is told. */
const mayComeBack = (error: Error) =>
  error instanceof CallFailed &&
  (error.code === 'OFFLINE' || error.code === 'SERVICE_UNAVAILABLE') &&
  (error.cause as Error | undefined)?.name !== 'TimeoutError'

let hasChanged = false
// The answer may be there before the second click of a double click, which would then change it once more.
window.addEventListener(
  'click',
  (event) => {
    if (event.detail < 2) hasChanged = false
    if (!hasChanged) return
    event.preventDefault()
    event.stopPropagation()
  },
  true,
)

const hadFocus = new WeakMap<object, (Element | null | undefined)[]>()
function onError(error: unknown): void {
  // The reader's role or account was changed meanwhile: the screens show what is allowed now.
  const isRefused = error instanceof CallFailed && /^(?:NOT_ALLOWED|ACCOUNT_SUSPENDED)$/.test(error.code)
  if (isRefused) client.invalidateQueries({ queryKey: keyOf('GET /session') })
}
const mutationCache = new MutationCache({ onError })
/**
 * A button that waits is disabled, which hands the focus to the page: with the answer it has the focus again, or the
 * button of its form has where it is gone.
 */
mutationCache.subscribe((event) => {
  if (event.type !== 'updated') return
  const { mutation, action } = event
  if (action.type === 'pending') {
    hasChanged = true
    const pressed = document.activeElement
    hadFocus.set(mutation, [pressed, pressed?.closest('form')?.querySelector('[type=submit]')])
  }
  if (action.type !== 'success' && action.type !== 'error') return
  // Not where the answer has taken the focus elsewhere, as dialogs do that close.
  const giveBack = () => {
    if (document.activeElement !== document.body) return
    const next = hadFocus.get(mutation)?.find((one) => one?.isConnected)
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
  }
  setTimeout(giveBack, closedMs)
})

const client = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache,
  defaultOptions: {
    queries: {
      // Without a network the library would wait in silence: so it asks, fails, and says so.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) => failures < 2 && mayComeBack(error),
    },
    mutations: { networkMode: 'always' },
  },
})

const base = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** What the server's content policy asks of style elements; without a server that sets it, none. */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? ''
// The library that keeps the page behind a dialog from scrolling looks for it here.
Object.assign(window, { __webpack_nonce__: nonce })

nameBrowserLanguage()

// What is pressed is not scrolled meanwhile.
for (const event of ['pointerdown', 'pointerup', 'pointercancel']) {
  const isPressed = event === 'pointerdown'
  window.addEventListener(event, () => document.documentElement.toggleAttribute('data-pressed', isPressed), true)
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readable}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <LanguageProvider>
        <QueryClientProvider client={client}>
          <Router base={base} aroundNav={aroundNav}>
            <App />
          </Router>
        </QueryClientProvider>
      </LanguageProvider>
    </MantineProvider>
  </StrictMode>,
)
