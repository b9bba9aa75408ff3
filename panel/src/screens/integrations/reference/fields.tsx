import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../../../language.ts'
import { Prose, Term, useDescribed } from './prose.tsx'
import type { Field } from './reading.ts'
import { words } from './words.ts'

/** What a request or an answer is made of, one row each; rows need no table and fit a phone. */
export function Fields({ fields, showRequired }: { fields: Field[]; showRequired: boolean }) {
  return (
    <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
      {fields.map((field) => (
        <FieldRow key={field.name} field={field} showRequired={showRequired} />
      ))}
    </Stack>
  )
}

function FieldRow({ field, showRequired }: { field: Field; showRequired: boolean }) {
  const text = useWords(words)
  const say = useDescribed()
  const limits = useLimits(field)
  return (
    <Row>
      <Group gap="xs">
        <Term isBold>{field.name}</Term>
        <Text size="xs" c="dimmed" ff="monospace">
          {field.type}
        </Text>
        {showRequired && (
          <Text size="xs" c={field.isRequired ? 'var(--mantine-color-error)' : 'dimmed'}>
            {field.isRequired ? text.required : text.optional}
          </Text>
        )}
        {limits.length > 0 && (
          <Text size="xs" c="dimmed">
            {limits.join(' · ')}
          </Text>
        )}
      </Group>
      {field.description !== '' && (
        <Text size="sm">
          <Prose text={say(field.description)} />
        </Text>
      )}
      {field.values.length > 0 && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {field.values.length === 1 ? text.always : text.values}{' '}
          <Prose text={field.values.map((value) => `\`${value}\``).join(' ')} />
        </Text>
      )}
      {field.otherwise !== undefined && (
        <Text size="xs" c="dimmed">
          {text.otherwise} <Term>{field.otherwise}</Term>
        </Text>
      )}
    </Row>
  )
}

export function Row({ children }: { children: ReactNode }) {
  return (
    <Stack component="li" gap={4} py="sm" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
      {children}
    </Stack>
  )
}

function useLimits({ minimum, maximum, maxLength, maxItems }: Field): string[] {
  const text = useWords(words)
  const limits: string[] = []
  if (minimum !== undefined && maximum !== undefined) limits.push(text.between(minimum, maximum))
  else if (minimum !== undefined) limits.push(text.atLeast(minimum))
  if (maxLength !== undefined) limits.push(text.charactersAtMost(maxLength))
  if (maxItems !== undefined) limits.push(text.itemsAtMost(maxItems))
  return limits
}
