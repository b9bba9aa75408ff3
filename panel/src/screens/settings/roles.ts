import { useWords } from '../../language.ts'
import type { Role } from '../../session.ts'
import { roleWords } from './role-words.ts'

export type { Role }

/** For a field that chooses a role. */
export function useRoleOptions(): { value: Role; label: string }[] {
  const { roles } = useWords(roleWords)
  return (['owner', 'member', 'viewer'] as const).map((value) => ({ value, label: roles[value] }))
}
