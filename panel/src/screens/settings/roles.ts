import type { Role } from '../../../../src/core/role.ts'
import { useWords } from '../../language.ts'
import { roleWords } from './role-words.ts'

export type { Role }

/** For a field that chooses a role. */
export function useRoleOptions(): { value: Role; label: string }[] {
  const { roles } = useWords(roleWords)
  return (['owner', 'member', 'viewer'] as const).map((value) => ({ value, label: roles[value] }))
}
