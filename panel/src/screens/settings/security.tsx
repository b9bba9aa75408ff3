import { useWords } from '../../language.ts'
import { ChangePassword } from './password.tsx'
import { Section } from './section.tsx'
import { words } from './words.ts'

/** How the user signs in, and where they are signed in. */
export default function Security() {
  const text = useWords(words)
  return (
    <Section title={text.password}>
      <ChangePassword />
    </Section>
  )
}
