import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { words } from './words.ts'

type Props = PasswordInputProps & { label: string }

/** A password field whose button to show it has a name in the reader's language, and can be reached by keyboard. */
export function Password(props: Props) {
  const { showPassword } = useWords(words)
  return (
    <PasswordInput
      {...props}
      // The library marks other fields so, and not this one.
      aria-invalid={props.error ? true : undefined}
      visibilityToggleButtonProps={{ 'aria-label': `${showPassword}: ${props.label}`, tabIndex: 0 }}
    />
  )
}

type NewProps = Props & {
  /** What came of saving it, and the password's path in it. */
  failed: CallFailed | null
  path?: string
}

const least = 8

/** One that is chosen here. The browser counts an emoji as two characters, and the service as one. */
export function NewPassword({ failed, path = 'password', ...props }: NewProps) {
  const { tooShort } = useWords(words)
  const isShort = failed?.faults.some((fault) => fault.path === path) === true
  return (
    <Password
      required
      minLength={least}
      maxLength={256}
      autoComplete="new-password"
      error={isShort ? tooShort(least) : undefined}
      {...props}
    />
  )
}
