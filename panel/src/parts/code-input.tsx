import { TextInput } from '@mantine/core'

type Props = { label: string; description?: string; value: string; onChange(value: string): void }

/** A code of the second factor: phones and password managers know by `one-time-code` what to fill in. */
export function CodeInput({ onChange, ...props }: Props) {
  return (
    <TextInput
      {...props}
      required
      data-autofocus
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={40}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
