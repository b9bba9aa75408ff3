// Shares and changes in percent, in the reader's language. What is not nothing is never rounded to it.

/** `12%`; `< 1%` where there is something, however little. */
export function shareText(share: number, language: string, maximumFractionDigits = 0): string {
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits })
  const least = 0.01 / 10 ** maximumFractionDigits
  return share > 0 && share < least / 2 ? `< ${percent.format(least)}` : percent.format(share)
}

/** `+12%`. */
export function changeText(now: number, before: number, language: string): string {
  const change = now / before - 1
  const percent = new Intl.NumberFormat(language, { style: 'percent', signDisplay: 'always', ...digitsOf(change, now) })
  return percent.format(change)
}

function digitsOf(change: number, now: number): Intl.NumberFormatOptions {
  // Below half a percent `0 %` would say that nothing has changed.
  if (Math.abs(change) < 0.005) return { maximumSignificantDigits: 1 }
  // And `-100 %` that nothing is left.
  if (change <= -0.995 && now > 0) return { maximumFractionDigits: 1, roundingMode: 'trunc' }
  return { maximumFractionDigits: 0 }
}
