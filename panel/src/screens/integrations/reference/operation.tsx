import { Accordion, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../../../language.ts'
import { CopyBlock } from '../../../parts/copy.tsx'
import { CodeRows } from './codes.tsx'
import { Fields } from './fields.tsx'
import { Prose, Term, useDescribed } from './prose.tsx'
import type { OperationRead } from './reading.ts'
import { words } from './words.ts'

export type Language = 'curl' | 'node' | 'python' | 'php'
export const languageNames: Record<Language, string> = {
  curl: 'cURL',
  node: 'Node',
  python: 'Python',
  php: 'PHP',
}

type Shown = { operation: OperationRead; snippet: string | undefined; language: Language }

/** One operation: what it does, how it is called, and what it answers. */
export function OperationCard({ operation, snippet, language }: Shown) {
  const text = useWords(words)
  const say = useDescribed()
  const { method, path, summary, description } = operation
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-label={say(summary)}>
      <Stack gap="md">
        <Stack gap={6}>
          <Title order={3} size="h4">
            {say(summary)}
          </Title>
          <Group gap="xs">
            <Badge variant="filled" color={method === 'GET' ? 'teal.9' : 'violet.8'} radius="sm">
              {method}
            </Badge>
            <Text span size="sm">
              <Term>{path}</Term>
            </Text>
          </Group>
          <Text size="sm">
            <Prose text={say(description)} />
          </Text>
        </Stack>
        {snippet !== undefined && (
          <CopyBlock text={snippet} name={text.snippet(languageNames[language], say(summary))} />
        )}
        <Details operation={operation} />
      </Stack>
    </Paper>
  )
}

function Details({ operation }: { operation: OperationRead }) {
  const text = useWords(words)
  const say = useDescribed()
  const { parameters, body, answers, errors, summary } = operation
  return (
    <Accordion multiple variant="default" chevronPosition="left" order={4}>
      <Section value="parameters" title={text.parameters} aside={String(parameters.length)}>
        <Fields fields={parameters} showRequired />
      </Section>
      {body !== undefined && (
        <Section value="body" title={text.body} aside="application/json">
          <Text size="sm">
            <Prose text={say(body.description)} /> {say('Unknown properties are rejected.')}
          </Text>
          <Fields fields={body.fields} showRequired />
        </Section>
      )}
      {answers.map(({ status, description, fields, example }) => (
        <Section key={status} value={status} title={text.answer(status)} aside={say(description)}>
          <Fields fields={fields} showRequired={false} />
          <CopyBlock text={example} name={text.exampleOf(`${say(summary)}, ${status}`)} />
        </Section>
      ))}
      <Section value="errors" title={text.errors} aside={String(errors.length)}>
        <CodeRows errors={errors} />
      </Section>
    </Accordion>
  )
}

type SectionProps = { value: string; title: string; aside: string; children: ReactNode }

function Section({ value, title, aside, children }: SectionProps) {
  return (
    <Accordion.Item value={value}>
      <Accordion.Control px={0}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {title}
          </Text>
          <Text size="sm" c="dimmed">
            {aside}
          </Text>
        </Group>
      </Accordion.Control>
      {/* A dozen panels are no landmarks (ARIA authoring practices, accordion). */}
      <Accordion.Panel role="group">
        <Stack gap="sm">{children}</Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}
