import { useEffect, useState } from 'react'

/** The link's token, out of the address at once; with the entry of the history it outlives a reload, and no more. */
export function useTokenOfAddress(): string {
  const [token] = useState(() => window.location.hash.slice(1) || String(window.history.state?.token ?? ''))
  useEffect(() => {
    const { pathname, search } = window.location
    window.history.replaceState({ token }, '', `${pathname}${search}`)
    // For another link on the screen of this one the browser loads nothing by itself.
    const reload = () => window.location.reload()
    window.addEventListener('hashchange', reload)
    return () => window.removeEventListener('hashchange', reload)
  }, [token])
  return token
}
