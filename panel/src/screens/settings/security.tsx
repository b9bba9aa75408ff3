import { Text } from '@mantine/core'
import { useAsk } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useSession } from '../../session.ts'
import { ChangePassword } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'
import { words as securityWords } from './security-words.ts'
import { Sessions } from './sessions.tsx'
import { words } from './words.ts'

/** How the user signs in, and where they are signed in. */
export default function Security() {
  const text = useWords(words)
  const { ways, hasPassword } = useSession()
  const own = useWords(securityWords)
  const factor = useAsk('GET /factor', {})
  const sessions = useAsk('GET /sessions', {})
  // Together: what comes later would move what stands below it.
  if (factor.isPending || sessions.isPending) return <Waiting />
  return (
    <>
      <Section title={text.password}>
        {!ways.byPassword && <Text size="sm">{text.noPasswords}</Text>}
        {ways.byPassword && !hasPassword && <Text size="sm">{ways.hasMail ? text.setByMail : text.setByOperator}</Text>}
        {ways.byPassword && hasPassword && <ChangePassword />}
      </Section>
      {/* Where all sign in at a provider, the second factor is the provider's too. */}
      {(ways.byPassword || factor.data?.isOn) && (
        <Section title={own.factor}>
          <Failure of={factor} />
          {!hasPassword && <Text size="sm">{own.needsPassword}</Text>}
          {hasPassword && factor.data !== undefined && <SecondFactor factor={factor.data} />}
        </Section>
      )}
      <Section title={own.sessions}>
        <Failure of={sessions} />
        {sessions.data !== undefined && <Sessions sessions={sessions.data.sessions} />}
      </Section>
    </>
  )
}
