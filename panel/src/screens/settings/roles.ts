import { useWords } from '../../language.ts'
import { type Role, rank } from '../../session.ts'
import { roleWords } from './role-words.ts'

/** For a field that chooses a role. */
export function useRoleOptions(): { value: Role; label: string }[] {
  const { roles } = useWords(roleWords)
  return (Object.keys(rank) as Role[]).map((value) => ({ value, label: roles[value] }))
}
