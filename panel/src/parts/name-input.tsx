import { TextInput, type TextInputProps } from '@mantine/core'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { words } from './words.ts'

type Props = Omit<TextInputProps, 'onChange'> & {
  onChange(next: string): void
  /** What came of saving it, and the name's path in it. */
  failed: CallFailed | null
  path?: string
}

/** A name for something: what the browser takes for one and the service does not, spaces above all, is marked. */
export function NameInput({ onChange, failed, path = 'name', ...props }: Props) {
  const { nameFault } = useWords(words)
  const isWrong = failed?.faults.some((fault) => fault.path === path) === true
  return (
    <TextInput
      required
      maxLength={200}
      error={isWrong ? nameFault : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...props}
    />
  )
}
