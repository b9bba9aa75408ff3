import { useWords } from '../../../language.ts'
import { focusNextRow } from '../../../parts/next-row.ts'
import { useToastFailure } from '../../../parts/toast.tsx'
import { eraseSoon } from './erasing.ts'
import { useLeadsAgain } from './use-leads.ts'
import { words } from './words.ts'

/** Erases leads, and says so; the focus goes on from the row of the first. */
export function useErase(campaignId: number): (refs: readonly string[]) => void {
  const text = useWords(words)
  const failed = useToastFailure(text.eraseFailed)
  const readAgain = useLeadsAgain(campaignId)
  return (refs) => {
    const focusNext = focusNextRow('leads', refs[0] ?? '')
    const said = { waits: text.erasing(refs.length), undo: text.undo, done: text.erased, failed }
    eraseSoon({ campaignId, refs }, said, readAgain)
    focusNext()
  }
}
