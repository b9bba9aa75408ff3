import { PasswordInput, type PasswordInputProps } from '@mantine/core'
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

/** One that is chosen here. */
export function NewPassword(props: Props) {
  // The browser's own count takes an emoji for two characters, the service's for one.
  return <Password required minLength={8} pattern=".{8,}" maxLength={256} autoComplete="new-password" {...props} />
}
