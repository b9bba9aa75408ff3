import { useWords } from '../../language.ts'
import { Screen } from '../../parts/screen.tsx'
import { words } from '../../parts/words.ts'

export default function IntegrationsScreen() {
  const text = useWords(words)
  return <Screen title={text.integrations}>{null}</Screen>
}
