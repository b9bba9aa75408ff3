import { TextInput } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { CallFailed } from '../api.ts'

type Props = {
  label: string
  description?: string
  value: string
  onChange(value: string): void
  failed: CallFailed | null
}

/** A code of the second factor: phones and password managers know by `one-time-code` what to fill in. */
export function CodeInput({ onChange, failed, ...props }: Props) {
  const input = useRef<HTMLInputElement>(null)
  // It takes the place of another field, which had the focus.
  useEffect(() => input.current?.focus({ preventScroll: true }), [])
  return (
    <TextInput
      ref={input}
      {...props}
      required
      // Marked, it has the focus again; what is wrong is said beneath.
      error={failed?.code === 'WRONG_CODE'}
      data-autofocus
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={40}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
