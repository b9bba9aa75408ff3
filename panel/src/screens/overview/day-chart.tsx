import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Box } from '@mantine/core'
import { useLanguage, useWords } from '../../language.ts'
import { kindsShown, type Overview } from './overview.tsx'
import { words } from './words.ts'

const colours = { registration: 'violet.7', visit: 'teal.7', click: 'orange.7', open: 'gray.6' }

/** Beside it stands a table, for those who do not see it. */
export default function DayChart({ days }: Pick<Overview, 'days'>) {
  const text = useWords(words)
  const language = useLanguage()
  const short = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const data = days.map(({ date, ...totals }) => ({ ...totals, day: short.format(new Date(date)) }))
  return (
    <Box role="img" aria-label={text.chart}>
      <BarChart
        h={280}
        data={data}
        dataKey="day"
        type="stacked"
        withLegend
        series={kindsShown.map((name) => ({ name, label: text.kinds[name], color: colours[name] }))}
        barChartProps={{ accessibilityLayer: false }}
        barProps={{ isAnimationActive: false }}
      />
    </Box>
  )
}
