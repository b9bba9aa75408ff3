import type { AnswerOf } from '../../../api.ts'

export type Styles = AnswerOf<'GET /timer-styles'>
export type Style = Styles['presets'][number]

type Given = { [K in keyof Style]?: Style[K] | undefined }

/** What the service draws where a style leaves things out (src/core/timer-style.ts). */
export function usualFor({ presets, transparent, mostPixels }: Styles, given: Given): Style {
  const { preset = 'boxes', background, width, height } = given
  const usual = presets.find((one) => one.preset === preset) as Style
  const isTooFine = (width ?? usual.width) * (height ?? usual.height) * 4 > mostPixels
  return {
    ...usual,
    labels: background === 'transparent' ? transparent.labels : usual.labels,
    pixelsPerPoint: isTooFine ? 1 : 2,
  }
}

/** With another preset or background; colours that were the usual ones become those that suit it. */
export function dressedAs(styles: Styles, style: Style, changes: Pick<Given, 'preset' | 'background'>): Style {
  const next = { ...style, ...changes } as Style
  if (!styles.mayBeTransparent.includes(next.preset) && next.background === 'transparent') {
    next.background = usualFor(styles, { preset: next.preset }).background
  }
  const [before, after] = [usualFor(styles, style), usualFor(styles, next)]
  for (const name of ['box', 'digits', 'labels'] as const) {
    if (style[name].toLowerCase() === before[name]) next[name] = after[name]
  }
  return next
}
