import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import type { CallFailed } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { TimesIn } from '../../parts/time-text.tsx'
import { useSession } from '../../session.ts'
import { settingName, words } from './clash-words.ts'
import type { Difference, Value } from './differences.ts'
import type { Clash } from './use-edited.ts'

type Props = { of: { clash: Clash | null; error: CallFailed | null; isPending: boolean } }

/**
 * What was saved meanwhile by somebody else, or in another window, beside what is here, with the two ways on; and why
 * saving failed.
 */
export function Behind({ of: { clash, error, isPending } }: Props) {
  const text = useWords(words)
  // One of the two says it.
  const told = clash !== null && error?.code === 'CHANGED_MEANWHILE' ? null : error
  return (
    <>
      {clash !== null && (
        <Alert color="orange" variant="outline" title={text.title} role="alert">
          <Stack gap="xs" align="start">
            <Text size="sm">
              <By of={clash} /> {text.unsaved}
            </Text>
            <Differences of={clash.differences} />
            <Group gap="xs">
              <Button size="xs" loading={isPending} onClick={clash.keepMine}>
                {text.keepMine}
              </Button>
              <Button size="xs" variant="default" disabled={isPending} onClick={clash.takeTheirs}>
                {text.takeTheirs}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      <Failure of={{ error: told }} />
    </>
  )
}

/** Of the whole campaign: who saved it last may have changed another part than this one. */
function By({ of: { changed, timeZone } }: { of: Clash }) {
  const text = useWords(words)
  const { user } = useSession()
  if (changed === null) return text.outside
  const who = changed.by === user.email ? text.you : (changed.by ?? text.formerUser)
  return <TimesIn at={[changed.at]} say={(when = '') => text.by(who, when)} timeZone={timeZone} />
}

function Differences({ of }: { of: Difference[] }) {
  const text = useWords(words)
  const shown = (path: string, value: Value) => {
    if (value === undefined || value === null || value === '') return text.nothing
    if (typeof value === 'boolean') return value ? text.on : text.off
    return text.value(path, value)
  }
  return (
    <Table fz="sm" verticalSpacing={4} aria-label={text.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.setting}</Table.Th>
          <Table.Th>{text.theirs}</Table.Th>
          <Table.Th>{text.mine}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {of.map(({ path, theirs, mine }) => (
          <Table.Tr key={path} style={{ overflowWrap: 'anywhere' }}>
            <Table.Th fw={400}>{settingName(path, text.settings)}</Table.Th>
            <Table.Td>{shown(path, theirs)}</Table.Td>
            <Table.Td>{shown(path, mine)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
