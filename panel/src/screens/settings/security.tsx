import { Text } from '@mantine/core'
import { useWords } from '../../language.ts'
import { useSession } from '../../session.ts'
import { ChangePassword } from './password.tsx'
import { Section } from './section.tsx'
import { words } from './words.ts'

/** How the user signs in, and where they are signed in. */
export default function Security() {
  const text = useWords(words)
  const { ways } = useSession()
  return (
    <Section title={text.password}>
      {ways.byPassword ? <ChangePassword /> : <Text size="sm">{text.noPasswords}</Text>}
    </Section>
  )
}
