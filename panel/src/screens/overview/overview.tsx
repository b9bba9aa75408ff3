import { useWords } from '../../language.ts'
import { Screen } from '../../parts/screen.tsx'
import { words } from '../../parts/words.ts'

export default function OverviewScreen() {
  const text = useWords(words)
  return <Screen title={text.overview}>{null}</Screen>
}
