import { TextInput, type TextInputProps } from '@mantine/core'

type Props = Omit<TextInputProps, 'value' | 'onChange'> & { value: string; onChange(next: string): void }

const withoutScheme = /^([^\s/:@?#.]+\.)+[^\s/:@?#.]{2,}(:\d+)?([/?#]\S*)?$/

/** A web address. What was typed without its scheme is completed when the field is left, as a browser does. */
export function AddressInput({ value, onChange, ...props }: Props) {
  const complete = () => {
    if (withoutScheme.test(value)) onChange(`https://${value}`)
  }
  return (
    <TextInput
      inputMode="url"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      onBlur={complete}
      onKeyDown={(event) => event.key === 'Enter' && complete()}
      {...props}
    />
  )
}
