import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useWords } from '../language.ts'
import { words } from './words.ts'

/** A password field whose button to show it has a name in the reader's language, and can be reached by keyboard. */
export function Password(props: PasswordInputProps) {
  const { showPassword } = useWords(words)
  return (
    <PasswordInput
      {...props}
      // The library marks other fields so, and not this one.
      aria-invalid={props.error ? true : undefined}
      visibilityToggleButtonProps={{ 'aria-label': showPassword, tabIndex: 0 }}
    />
  )
}

/** One that is chosen here. */
export function NewPassword(props: PasswordInputProps) {
  return <Password required minLength={8} maxLength={256} autoComplete="new-password" {...props} />
}
