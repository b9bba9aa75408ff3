/** What the four columns of the picture show. */
export type TimeLeft = { days: number; hours: number; minutes: number; seconds: number }
export type Field = keyof TimeLeft

export const fields = ['days', 'hours', 'minutes', 'seconds'] as const satisfies Field[]

/** How many values each column can show. A deadline further away than 999 days shows 999 of them. */
export const valuesOf: Readonly<Record<Field, number>> = { days: 1_000, hours: 24, minutes: 60, seconds: 60 }

/** Splits whole seconds. */
export function timeLeft(seconds: number): TimeLeft {
  return {
    days: Math.min(Math.floor(seconds / 86_400), valuesOf.days - 1),
    hours: Math.floor(seconds / 3_600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  }
}

/** The digits of a column: two, or three from 100 days on. */
export function digitsOf(value: number): string {
  return String(value).padStart(2, '0')
}
