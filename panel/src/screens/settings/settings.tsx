import { useWords } from '../../language.ts'
import { Screen } from '../../parts/screen.tsx'
import { words } from '../../parts/words.ts'

export default function SettingsScreen() {
  const text = useWords(words)
  return <Screen title={text.settings}>{null}</Screen>
}
