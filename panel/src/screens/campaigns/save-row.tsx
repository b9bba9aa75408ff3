import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../../language.ts'
import { idle } from '../../parts/next-row.ts'
import { useMay, useSession } from '../../session.ts'
import type { useEdited } from './use-edited.ts'
import { words } from './words.ts'

type Props = {
  of: Pick<ReturnType<typeof useEdited>, 'isChanged' | 'isSaved' | 'isPending' | 'discard'>
  /** Of the button that saves. */
  name: string
  before?: ReactNode
  children?: ReactNode
}

/** The buttons below a form that save what was changed or give it up, and whether it is saved. */
export function SaveRow({ of: { isChanged, isSaved, isPending, discard }, name, before, children }: Props) {
  const text = useWords(words)
  const may = useMay('member')
  const { suspended } = useSession().account
  // Who was made a viewer meanwhile still sees what is not saved, and can give it up.
  if (!may && !isChanged) return null
  return (
    <Group>
      {before}
      <Button type="submit" disabled={suspended} loading={isPending} {...idle(!isChanged)}>
        {name}
      </Button>
      {isChanged && (
        <Button variant="subtle" disabled={isPending} onClick={discard}>
          {text.discard}
        </Button>
      )}
      {children}
      <Text size="sm" c="dimmed" role="status">
        {isChanged ? text.notSaved : isSaved ? text.saved : ''}
      </Text>
    </Group>
  )
}
