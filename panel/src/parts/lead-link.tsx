import { Anchor } from '@mantine/core'
import { Link } from 'wouter'

type Props = { of: { email: string | null; campaignId: number; ref: string }; erased: string }

/** The lead that a log names, while there is one. */
export function LeadLink({ of: { email, campaignId, ref }, erased }: Props) {
  if (email === null) return erased
  return (
    <Anchor component={Link} href={`/campaigns/${campaignId}/leads/${ref}`} size="sm">
      {email}
    </Anchor>
  )
}
