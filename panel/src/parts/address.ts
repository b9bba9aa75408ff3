import { useSearchParams } from 'wouter'

/**
 * What the reader has chosen on a screen, where it stands in the page's address, and changes it there; what becomes
 * empty goes. A change that does not `replace` is a step of its own, which the browser's way back undoes.
 */
export function useAddress() {
  const [address, setAddress] = useSearchParams()
  const put = (changes: Record<string, string>, replace = true) =>
    setAddress(
      (before) => Object.entries({ ...Object.fromEntries(before), ...changes }).filter(([, value]) => value !== ''),
      { replace },
    )
  return [address, put] as const
}
