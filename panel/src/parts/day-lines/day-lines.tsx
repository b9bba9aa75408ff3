import { Box, Group, Stack, Text } from '@mantine/core'
import { DayTable } from './day-table.tsx'
import { lookOf, Plot } from './plot.tsx'

/** `look` is the number of its colour and dashes, if not that of its place. */
type Line<Name extends string> = { name: Name; label: string; look?: number }
export type DayLinesProps<Name extends string> = {
  /** What is shown, to be read out. */
  label: string
  lines: readonly Line<Name>[]
  /** Ascending date. */
  days: readonly ({ date: string } & Record<Name, number>)[]
  /** The reader has dragged over these days, both included. */
  onZoom?: ((from: string, to: string) => void) | undefined
}

/** Numbers by day as lines, and the same numbers as a table. */
export default function DayLines<Name extends string>(props: DayLinesProps<Name>) {
  return (
    <Stack gap="xs">
      <Group gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {props.lines.map(({ name, label, look }, index) => (
          <Group key={name} component="li" gap={6} wrap="nowrap">
            <Swatch look={look ?? index} />
            <Text size="sm">{label}</Text>
          </Group>
        ))}
      </Group>
      <Plot {...props} />
      <DayTable {...props} />
    </Stack>
  )
}

export function Swatch({ look }: { look: number }) {
  const { color, dash } = lookOf(look)
  return (
    <Box component="svg" w={24} h={8} aria-hidden>
      <line x1={0} x2={24} y1={4} y2={4} stroke={`var(${color})`} strokeWidth={3} strokeDasharray={dash.join(' ')} />
    </Box>
  )
}
