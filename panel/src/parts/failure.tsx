import { Alert, Button, Stack, Text } from '@mantine/core'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { words } from './words.ts'

type Props = {
  of: { error: CallFailed | null; refetch?(): unknown }
  /** What to say of input that was refused. */
  invalid?: string
  /** What to say where somebody else has changed what was read. */
  changed?: string
}

/** Whose words say to tell the operator the request's id. */
export const asksForId: ReadonlySet<string> = new Set(['INTERNAL_ERROR', 'MAIL_NOT_SENT'])

/** A link that is used up stays so, and the operator alone switches passwords on. */
const isForGood: ReadonlySet<string> = new Set(['LINK_USED_UP', 'PASSWORDS_OFF'])

/** Says what went wrong and what to do next. */
export function Failure({ of, invalid, changed }: Props) {
  const { failures, tooManyFor, retry, requestId } = useWords(words)
  const { error, refetch } = of
  if (error === null) return null
  // Mails are counted by the hour: a minute would be too short a wait.
  const minutes = error.code === 'TOO_MANY_TRIES' ? Math.ceil((error.retryAfterSeconds ?? 0) / 60) : 0
  const usual = minutes > 1 ? tooManyFor(minutes) : (failures[error.code] ?? failures.INTERNAL_ERROR)
  const ours = { INVALID: invalid, CHANGED_MEANWHILE: changed }[error.code as string]
  const said = ours ?? usual
  const mayRetry = refetch !== undefined && !isForGood.has(error.code)
  const shows = asksForId.has(error.code) && error.requestId !== null
  return (
    <Alert color="red" variant="outline" role="alert">
      <Stack gap="xs" align="start">
        <Text size="sm">{said}</Text>
        {shows && <Text size="xs">{requestId(error.requestId as string)}</Text>}
        {mayRetry && (
          <Button size="xs" variant="default" onClick={() => refetch()}>
            {retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
