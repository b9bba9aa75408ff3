import 'uplot/dist/uPlot.min.css'
import { Box, Paper, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import Uplot from 'uplot'
import { type Language, locales, useLanguage } from '../../language.ts'

const height = 260
/** A shorter way of the pointer is a click. */
const leastDrag = 6

/** Dashes tell the lines apart where colours do not. */
const looks = [
  { color: '--mantine-color-violet-6', dash: [] },
  { color: '--mantine-color-teal-7', dash: [8, 4] },
  { color: '--mantine-color-orange-7', dash: [2, 3] },
  { color: '--mantine-color-blue-6', dash: [10, 3, 2, 3] },
  { color: '--mantine-color-pink-7', dash: [] },
]
export const lookOf = (index: number) => looks[index % looks.length] as (typeof looks)[number]

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

/** Where the steps are no days: what stands below the axis, at places counted in steps, and what a step is called. */
type Saying = { ticks: readonly { x: number; label: string }[]; long(date: string): string }
type PlotProps<Name extends string> = DayLinesProps<Name> & { saying?: Saying }

/** Day by day with the pointer, or with the arrow keys. */
export function Plot<Name extends string>({ label, lines, days, onZoom, saying }: PlotProps<Name>) {
  const language = useLanguage()
  const { ref, width } = useElementSize()
  const { host, at, point } = usePlot({ lines, days, onZoom, width, ticks: saying?.ticks })
  const number = new Intl.NumberFormat(language)
  const medium = new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeZone: 'UTC' })
  const long = saying?.long ?? ((date: string) => medium.format(new Date(date)))
  const index = at?.index ?? days.length - 1
  const day = days[index]
  const told = day && lines.map(({ name, label }) => `${label}: ${number.format(day[name])}`)
  const press = (event: KeyboardEvent) => {
    const last = days.length - 1
    const from = at?.index ?? days.length
    const to = { ArrowLeft: from - 1, ArrowRight: at === null ? 0 : from + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    point(Math.min(last, Math.max(0, to)))
  }
  return (
    <Box
      ref={ref}
      pos="relative"
      h={height}
      // What is read out with each arrow key.
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={days.length - 1}
      aria-valuenow={index}
      aria-valuetext={day && told && `${long(day.date)}. ${told.join(', ')}`}
      onKeyDown={press}
      onBlur={() => point(null)}
    >
      <div ref={host} />
      {at !== null && day !== undefined && (
        <Paper
          withBorder
          shadow="sm"
          p="xs"
          pos="absolute"
          top={8}
          {...(at.left > width / 2 ? { right: width - at.left + 12 } : { left: at.left + 12 })}
          style={{ pointerEvents: 'none', zIndex: 101, whiteSpace: 'nowrap' }}
          aria-hidden
        >
          <Text size="xs" fw={700}>
            {long(day.date)}
          </Text>
          {told?.map((line) => (
            <Text key={line} size="xs">
              {line}
            </Text>
          ))}
        </Paper>
      )}
    </Box>
  )
}

type Drawn<Name extends string> = Pick<DayLinesProps<Name>, 'lines' | 'days' | 'onZoom'> & {
  width: number
  ticks: Saying['ticks'] | undefined
}

/** The library's drawing in `host`, and the day that is pointed at, with its place from the left. */
function usePlot<Name extends string>({ lines, days, onZoom, width, ticks }: Drawn<Name>) {
  const language = useLanguage()
  const scheme = useComputedColorScheme('light')
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<Uplot>(null)
  const [at, setAt] = useState<{ index: number; left: number } | null>(null)
  const zoom = useRef(onZoom)
  zoom.current = onZoom
  const drawn = JSON.stringify([lines, days, ticks])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts that are drawn follow the language, colours the scheme.
  useEffect(() => {
    if (host.current === null || width === 0) return
    const values = lines.map(({ name }) => days.map((day) => day[name]))
    const made = new Uplot(
      {
        ...optionsOf(
          lines.map(({ look }, index) => look ?? index),
          days,
          ticks,
          language,
          host.current,
        ),
        width,
        hooks: {
          setCursor: [
            ({ cursor: { idx }, bbox, valToPos }) =>
              setAt(idx == null ? null : { index: idx, left: bbox.left / devicePixelRatio + valToPos(idx, 'x') }),
          ],
          setSelect: [
            ({ select, posToIdx, setSelect }) => {
              if (select.width < leastDrag) return
              const [from, to] = [days[posToIdx(select.left)], days[posToIdx(select.left + select.width)]]
              setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
              if (from !== undefined && to !== undefined) zoom.current?.(from.date, to.date)
            },
          ],
        },
      },
      [days.map((_, index) => index), ...values],
      host.current,
    )
    plot.current = made
    setAt(null)
    return () => made.destroy()
  }, [drawn, width, language, scheme])
  const point = (index: number | null) => {
    const left = index === null ? -10 : (plot.current?.valToPos(index, 'x') ?? 0)
    plot.current?.setCursor({ left, top: index === null ? -10 : 0 })
  }
  return { host, at, point }
}

function optionsOf(
  drawnAs: readonly number[],
  days: readonly { date: string }[],
  ticks: Saying['ticks'] | undefined,
  language: Language,
  host: HTMLElement,
): Omit<Uplot.Options, 'width'> {
  const style = getComputedStyle(host)
  const colour = (name: string) => style.getPropertyValue(name)
  const short = new Intl.DateTimeFormat(locales[language], { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const compact = new Intl.NumberFormat(language, { notation: 'compact' })
  const axis = {
    stroke: colour('--mantine-color-dimmed'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('--mantine-color-default-border'), width: 1 },
    ticks: { show: false },
  }
  const nameOf = (index: number) => {
    const day = days[index]
    return day === undefined ? '' : short.format(new Date(day.date))
  }
  return {
    height,
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [0, Math.max(1, days.length - 1)] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        incrs: [1, 2, 5, 7, 14, 30, 60, 90],
        space: 64,
        values: (_, splits) => splits.map(nameOf),
        ...(ticks && { splits: ticks.map(({ x }) => x), values: () => ticks.map(({ label }) => label) }),
      },
      { ...axis, size: 60, incrs: wholeSteps, values: (_, splits) => splits.map((value) => compact.format(value)) },
    ],
    series: [
      {},
      ...drawnAs.map((look) => {
        const { color, dash } = lookOf(look)
        return { stroke: colour(color), width: 2, dash, points: { show: days.length < 3 } }
      }),
    ],
    cursor: { y: false, drag: { x: true, y: false, setScale: false } },
  }
}

/** 1, 2, 5, 10, 20, 50, … */
const wholeSteps = Array.from({ length: 10 }, (_, tens) => [1, 2, 5].map((step) => step * 10 ** tens)).flat()
