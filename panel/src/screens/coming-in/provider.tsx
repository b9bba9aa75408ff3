import { Button, Divider } from '@mantine/core'
import { useEffect } from 'react'
import { type AskedOf, useSendAlone } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { words } from './words.ts'

/** Longer than the way to most providers takes. */
const onTheWayMs = 5_000

type Props = {
  /** A screen of the panel, to come back to. */
  to: string
  /** Of those who join by it: all others sign in. */
  invitation?: AskedOf<'POST /provider'>['body']['invitation']
  /** Where it is one way of two. */
  isBelow: boolean
  /** Where something is to be filled in first: whether it is. */
  isReady?(): boolean
}

/** Leads to the provider of OpenID Connect, which sends the reader back. */
export function ByProvider({ to, invitation, isBelow, isReady = () => true }: Props) {
  const text = useWords(words)
  const send = useSendAlone('POST /provider')
  const { isSuccess, reset } = send
  // Who stops on the way there, or comes back by the browser's Back, finds the page as it was left: they try again.
  useEffect(() => {
    if (!isSuccess) return undefined
    const timer = window.setTimeout(reset, onTheWayMs)
    window.addEventListener('pageshow', reset)
    return () => {
      window.clearTimeout(timer)
      window.removeEventListener('pageshow', reset)
    }
  }, [isSuccess, reset])
  const go = async () => {
    if (!isReady()) return
    const { url } = await send.mutateAsync({ body: { to, ...(invitation && { invitation }) } })
    window.location.assign(url)
  }
  return (
    <>
      {isBelow && <Divider label={text.or} />}
      <Failure of={{ error: send.error }} />
      <Button
        variant={isBelow ? 'default' : 'filled'}
        loading={send.isPending || isSuccess}
        onClick={() => go().catch(() => {})}
      >
        {invitation ? text.joinByProvider : text.byProvider}
      </Button>
    </>
  )
}
