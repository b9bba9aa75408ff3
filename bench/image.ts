// The countdown image beside encoders from npm, in one process and one run. How to read it: README.md.
import { parseArgs } from 'node:util'
import omggif from 'omggif'
import sharp from 'sharp'
import { type MailLanguage, mailLanguages } from '../src/core/mail-language.ts'
import { fullTimerStyle, type GivenTimerStyle, timerPresets } from '../src/core/timer-style.ts'
import { buildTemplate } from '../src/countdown/build.ts'
import { openTypefaces } from '../src/countdown/fonts.ts'
import { openTemplate } from '../src/countdown/packed.ts'
import { render } from '../src/countdown/render.ts'
import type { Template } from '../src/countdown/template.ts'
import { peers, picturesFrom } from './image-peers.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const rounds = Number(values.rounds)
if (!(rounds >= 1)) throw new Error(`--rounds takes a number from 1 on, not ${values.rounds}`)

/** Three days, seven hours, 24 minutes and 31 seconds: the animation goes through the end of a minute. */
const SCENE_SECONDS = 285_871
const IMAGES = 5_000

type Side = {
  name: string
  frames: string
  microseconds: number[]
  bytes: number
  play: () => Promise<number>
}

/** User and system time of all threads, in microseconds. */
async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function build(style: GivenTimerStyle, language: MailLanguage): { template: Template; milliseconds: number } {
  const begun = performance.now()
  const bytes = buildTemplate(fullTimerStyle(style), language, openTypefaces('inter', language))
  const milliseconds = performance.now() - begun
  const template = openTemplate(bytes)
  if (template === undefined) throw new Error('the template does not open')
  return { template, milliseconds }
}

/** Other seconds in each image, so that no two in a row are the same. */
function ourSide(name: string, template: Template): Side {
  const into = Buffer.alloc(template.mostBytes)
  const play = async () => {
    const spent = await cpuTime(() => {
      for (let image = 0; image < IMAGES; image++) render(template, SCENE_SECONDS * 1_000 + image * 997, into)
    })
    return spent / IMAGES
  }
  const bytes = render(template, SCENE_SECONDS * 1_000, into)
  return { name, frames: 'what changes', microseconds: [], bytes, play }
}

async function peerSide({ name, frames, encode }: (typeof peers)[number]): Promise<Side> {
  const pictures = picturesFrom(SCENE_SECONDS)
  const gif = await encode(pictures)
  const found = new omggif.GifReader(gif).numFrames()
  if (found !== 60) throw new Error(`${name} made ${found} frames, not 60`)
  const play = () => cpuTime(() => encode(pictures))
  return { name, frames, microseconds: [], bytes: gif.length, play }
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

function judge(what: string, isMissed: boolean): void {
  if (!isMissed) return
  console.log(`missed: ${what}`)
  process.exitCode = 1
}

/** What images have at moments of twelve days. */
function sizes(template: Template): { median: number; p95: number; most: number } {
  const into = Buffer.alloc(template.mostBytes)
  const bytes = Array.from({ length: 3_000 }, (_, at) => render(template, ((at * 7_919_317) % 1_036_800_000) + 1, into))
  const sorted = bytes.toSorted((a, b) => a - b)
  return { median: median(bytes), p95: sorted[2_850] as number, most: sorted.at(-1) as number }
}

/** Of boxes in each language, at one pixel per point and at two. */
function showBytes(): void {
  console.log('\n| boxes | median | p95 | most | at two pixels per point | p95 | most |')
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const language of mailLanguages) {
    const one = sizes(build({ pixelsPerPoint: 1 }, language).template)
    const two = sizes(build({}, language).template)
    const shown = [...Object.values(one), ...Object.values(two)].map((bytes) => bytes.toLocaleString('en'))
    console.log(`| ${language} | ${shown.join(' | ')} |`)
    judge(`${language}: over 30 kB`, one.median > 30_000)
    judge(`${language}: over 60 kB at two pixels per point`, two.median > 60_000)
  }
}

async function main(): Promise<void> {
  sharp.concurrency(1)
  sharp.cache(false)
  const plain = { pixelsPerPoint: 1 } as const
  const styles = [
    { name: '600 × 140, en', ...build(plain, 'en') },
    { name: '600 × 140, pl', ...build(plain, 'pl') },
    { name: '1200 × 280, en', ...build({}, 'en') },
    { name: '1200 × 280, pl', ...build({}, 'pl') },
    ...timerPresets.slice(1).map((preset) => ({ name: `1200 × 280, en, ${preset}`, ...build({ preset }, 'en') })),
  ]
  const ours = styles.map(({ name, template }) => ourSide(`Lastcall, ${name}`, template))
  const sides = [...ours, ...(await Promise.all(peers.map(peerSide)))]
  for (const side of sides) await side.play()
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) side.microseconds.push(await side.play())
  }
  const base = median((ours[0] as Side).microseconds)
  console.log('| image | frames | bytes | CPU µs | against ours |\n| --- | --- | --- | --- | --- |')
  for (const { name, frames, bytes, microseconds } of sides) {
    const spent = median(microseconds)
    const times = ours.some((side) => side.name === name) ? '' : `${Math.round(spent / base).toLocaleString('en')} ×`
    const shown = spent < 100 ? spent.toFixed(1) : Math.round(spent).toLocaleString('en')
    console.log(`| ${name} | ${frames} | ${bytes.toLocaleString('en')} | ${shown} | ${times} |`)
  }
  for (const { name, milliseconds, template } of styles) {
    const kilobytes = Math.round((template.frames.length + template.fragmentWords.byteLength) / 1_000)
    console.log(`template ${name}: built in ${Math.round(milliseconds)} ms, ${kilobytes} kB`)
  }
  const fine = median((ours[2] as Side).microseconds)
  for (const { name, microseconds } of ours) judge(`${name}: over 3 times boxes`, median(microseconds) > 3 * fine)
  for (const { name, microseconds } of sides.slice(ours.length))
    judge(`boxes: not 500 times ${name}`, median(microseconds) < 500 * base)
  showBytes()
}

await main()
