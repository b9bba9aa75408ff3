import { Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../language.ts'
import { type Role, useMay, useSession } from '../session.ts'
import { toast } from './toast.tsx'
import { words } from './words.ts'

/** Says to those who may not do something why it is missing on the screen. */
export function RoleNote({ needed, children }: { needed: Role; children: string }) {
  return useMay(needed) ? null : (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

/** When the role turns out to be lesser, the button and its error disappear: say why in a message. */
export function LesserRole() {
  const { user } = useSession()
  const { lesserRole } = useWords(words)
  const [known, setKnown] = useState(user)
  const isLesser = !useMay(known.role) && known.id === user.id
  useEffect(() => {
    if (isLesser) toast(lesserRole)
    setKnown(user)
  }, [user, isLesser, lesserRole])
  return null
}

/** Fields of a form that a viewer reads and cannot change. */
export function MemberFields({ children }: { children: ReactNode }) {
  if (useMay('member')) return children
  return (
    <fieldset disabled className="read-only">
      {children}
    </fieldset>
  )
}
