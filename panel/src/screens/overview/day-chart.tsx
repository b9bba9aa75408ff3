import { Box, ColorSwatch, Flex, Group, Stack, Text } from '@mantine/core'
import { useLanguage, useWords } from '../../language.ts'
import { kindsShown, type Overview } from './overview.tsx'
import { words } from './words.ts'

const colours = { registration: 'violet-7', visit: 'teal-7', click: 'orange-7', open: 'gray-6' }
const colourOf = (kind: (typeof kindsShown)[number]) => `var(--mantine-color-${colours[kind]})`
const height = 240

/** Beside it stands a table, for those who do not see it. */
export function DayChart({ days }: Pick<Overview, 'days'>) {
  const text = useWords(words)
  const language = useLanguage()
  const short = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const number = new Intl.NumberFormat(language)
  const name = (date: string | undefined) => (date === undefined ? '' : short.format(new Date(date)))
  const top = roundUp(Math.max(...days.map(totalOf)))
  return (
    <Stack gap={4} role="img" aria-label={text.chart}>
      <Group gap="md" justify="flex-end">
        {kindsShown.map((kind) => (
          <Group key={kind} gap={6} wrap="nowrap">
            <ColorSwatch size={12} color={colourOf(kind)} withShadow={false} />
            <Text size="sm">{text.kinds[kind]}</Text>
          </Group>
        ))}
      </Group>
      <Flex gap="xs">
        <Flex direction="column" justify="space-between" align="flex-end" h={height}>
          {[top, top / 2, 0].map((value) => (
            <Text key={value} size="xs" c="dimmed" lh={1}>
              {number.format(value)}
            </Text>
          ))}
        </Flex>
        <Box flex={1} miw={0}>
          <Flex h={height} gap="0.4%" align="flex-end" style={{ borderBottom: '1px solid currentColor' }}>
            {days.map((day) => {
              const told = kindsShown.map((kind) => `${text.kinds[kind]}: ${number.format(day[kind])}`)
              return (
                <Box key={day.date} flex={1} h="100%" title={[name(day.date), ...told].join('\n')}>
                  <Flex direction="column-reverse" h="100%">
                    {kindsShown.map((kind) => (
                      <Box key={kind} h={`${(100 * day[kind]) / top}%`} bg={colourOf(kind)} />
                    ))}
                  </Flex>
                </Box>
              )
            })}
          </Flex>
          <Flex justify="space-between" mt={4}>
            {[days.at(0), days.at(days.length >> 1), days.at(-1)].map((day) => (
              <Text key={day?.date} size="xs" c="dimmed">
                {name(day?.date)}
              </Text>
            ))}
          </Flex>
        </Box>
      </Flex>
    </Stack>
  )
}

function totalOf(day: Overview['days'][number]): number {
  return kindsShown.reduce((sum, kind) => sum + day[kind], 0)
}

/** The next of 2, 4, 10, 20, 40, 100, …: half of it is a whole number too. */
function roundUp(most: number): number {
  const tens = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  return [2, 4, 10, 20].map((step) => step * tens).find((step) => step >= most) as number
}
