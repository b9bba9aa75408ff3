import { Box, Group, Stack, Text } from '@mantine/core'
import { DayTable } from './day-table.tsx'
import { type DayLinesProps, lookOf, Plot } from './plot.tsx'

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
