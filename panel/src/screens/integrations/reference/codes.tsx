import { Badge, Group, List, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiErrorCode, ApiWarning } from '../../../../../src/http/panel/reference.ts'
import { useWords } from '../../../language.ts'
import { Section } from '../../../parts/section.tsx'
import { Fields, Row } from './fields.tsx'
import { Prose, Term, useDescribed } from './prose.tsx'
import { type Description, readErrorBody, readHeaders } from './reading.ts'
import { words } from './words.ts'

/** Error codes with their status, what they mean, and what to do. */
export function CodeRows({ errors }: { errors: { status: string; code: ApiErrorCode }[] }) {
  const text = useWords(words)
  return (
    <Rows>
      {errors.map(({ status, code }) => (
        <Row key={code}>
          <Group gap="xs">
            <Badge variant="default" radius="sm">
              {status}
            </Badge>
            <Term isBold>{code}</Term>
          </Group>
          <Text size="sm">
            <Prose text={text.codes[code].means} />
          </Text>
          <Text size="sm" c="dimmed">
            {text.next} <Prose text={text.codes[code].next} />
          </Text>
        </Row>
      ))}
    </Rows>
  )
}

/** Of requests that are no operation. */
const otherErrors: { status: string; code: ApiErrorCode }[] = [{ status: '404', code: 'NOT_FOUND' }]

/** What holds for every operation: the body of errors, warnings, headers, and when to try again. */
export function Everywhere({ description }: { description: Description }) {
  const text = useWords(words)
  return (
    <>
      <Section order={3} isLandmark title={text.retries}>
        <List size="sm" spacing="xs" withPadding={false}>
          {text.retryAdvice.map((advice) => (
            <List.Item key={advice}>
              <Prose text={advice} />
            </List.Item>
          ))}
        </List>
      </Section>
      <Section order={3} isLandmark title={text.errorBody} note={text.errorsText}>
        <Fields fields={readErrorBody(description)} showRequired={false} />
        <Text size="sm">{text.otherErrors}</Text>
        <CodeRows errors={otherErrors} />
      </Section>
      <Section order={3} isLandmark title={text.warnings} note={text.warningsText}>
        <Warnings />
      </Section>
      <Section order={3} isLandmark title={text.headers}>
        <Headers description={description} />
      </Section>
    </>
  )
}

function Warnings() {
  const { warningTexts } = useWords(words)
  return (
    <Rows>
      {(Object.keys(warningTexts) as ApiWarning[]).map((warning) => (
        <Row key={warning}>
          <div>
            <Term isBold>{warning}</Term>
          </div>
          <Text size="sm">{warningTexts[warning]}</Text>
        </Row>
      ))}
    </Rows>
  )
}

function Headers({ description }: { description: Description }) {
  const text = useWords(words)
  const say = useDescribed()
  return (
    <Rows>
      {readHeaders(description).map(({ name, description: means, on, isExcept }) => (
        <Row key={name}>
          <Group gap="xs">
            <Term isBold>{name}</Term>
            <Text size="xs" c="dimmed">
              {isExcept ? text.onAllBut(on.join(', ')) : text.onStatuses(on.join(', '))}
            </Text>
          </Group>
          <Text size="sm">
            <Prose text={say(means)} />
          </Text>
        </Row>
      ))}
    </Rows>
  )
}

function Rows({ children }: { children: ReactNode }) {
  return (
    <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
      {children}
    </Stack>
  )
}
