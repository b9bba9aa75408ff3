import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/** The link's token, out of the address at once; with the entry of the history it outlives a reload, and no more. */
export function useTokenOfAddress(): string {
  const [token] = useState(() => window.location.hash.slice(1) || String(window.history.state?.token ?? ''))
  useEffect(() => {
    const { pathname, search } = window.location
    window.history.replaceState({ token }, '', `${pathname}${search}`)
  }, [token])
  // For another link on the screen of this one the browser loads nothing by itself.
  useWindowEvent('hashchange', () => window.location.reload())
  return token
}
