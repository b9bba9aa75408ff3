import { Button, Divider } from '@mantine/core'
import { type AskedOf, useSendAlone } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { words } from './words.ts'

type Props = {
  /** A screen of the panel, to come back to. */
  to: string
  invitation?: AskedOf<'POST /provider'>['body']['invitation']
  /** Where it is one way of two. */
  isBelow: boolean
  isJoining?: boolean
  /** Where something is to be filled in first: whether it is. */
  isReady?(): boolean
}

/** Leads to the provider of OpenID Connect, which sends the reader back. */
export function ByProvider({ to, invitation, isBelow, isJoining = false, isReady = () => true }: Props) {
  const text = useWords(words)
  const send = useSendAlone('POST /provider')
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
        loading={send.isPending || send.isSuccess}
        onClick={() => go().catch(() => {})}
      >
        {isJoining ? text.joinByProvider : text.byProvider}
      </Button>
    </>
  )
}
