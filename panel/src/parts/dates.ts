// The library of dates with its look; loaded with the first part that needs it.
import '@mantine/dates/styles.css'
import './dates.css'
import 'dayjs/locale/pl.js'

const edge = 5
const unlimited = { fn: ({ x, y }: { x: number; y: number }) => ({ x, y }) }

/**
 * A calendar with no room above and below its field lies over it, and one that is higher than the window is scrolled.
 * At 400 % zoom it would begin below the window.
 */
export const inWindow = {
  middlewares: { shift: { crossAxis: true, limiter: unlimited, padding: edge } },
  styles: { dropdown: { maxHeight: `calc(100dvh - ${2 * edge}px)`, overflowY: 'auto' } },
} as const
