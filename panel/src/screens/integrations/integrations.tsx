import { useWords } from '../../language.ts'
import { Screen } from '../../parts/screen.tsx'
import { words } from '../../parts/words.ts'
import ReferencePart from './reference/reference.tsx'

export default function IntegrationsScreen() {
  const text = useWords(words)
  return (
    <Screen title={text.integrations}>
      <ReferencePart />
    </Screen>
  )
}
