import { useWords } from '../../../language.ts'
import { Screen } from '../../../parts/screen.tsx'
import { words } from '../../../parts/words.ts'

export default function CampaignListScreen() {
  const text = useWords(words)
  return <Screen title={text.campaigns}>{null}</Screen>
}
