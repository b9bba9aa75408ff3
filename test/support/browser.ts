// A real browser for the tests: Chromium out of npm, or the one that BROWSER_PATH names.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import chromiumPackage from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'
import type { Scope } from './lastcall.ts'

const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const unpacked = join(cache, 'chromium-153.0.0')

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36'
/** Without these, pages and the service are told that a program is at work, whose visits start nothing. */
const likeAPerson = ['--disable-blink-features=AutomationControlled', `--user-agent=${userAgent}`]

/**
 * Threads of V8 beside the page's own cost a tenth more than they save on a machine that is busy, and so does better code
 * for pages that are closed in a second.
 */
const forShortPages = '--js-flags=--single-threaded --no-opt --no-maglev'

/** Closed when the test, or the file, ends. `isMeasured`: what its pages take is what they take for everybody. */
export async function openBrowser(scope: Scope, { isRobot = false, isMeasured = false } = {}): Promise<Browser> {
  const path = await browserPath()
  const browser = await chromium.launch({
    executablePath: path,
    // Playwright switches off what lets a page come back as it was left; visitors have it.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: [
      // Where there is no graphics card, a process of its own for drawing only costs.
      ...['--no-sandbox', '--disable-gpu', '--in-process-gpu'],
      ...(isMeasured ? [] : [forShortPages]),
      ...(isRobot ? [] : likeAPerson),
    ],
    env: { ...process.env, FONTCONFIG_FILE: join(unpacked, 'fonts.conf') } as Record<string, string>,
  })
  scope.after(() => browser.close())
  return browser
}

/**
 * Unpacked where it is not yet: `run.ts` has that done before the first file, and of files that are run by themselves
 * side by side each does it, and the first to be done puts it in its place.
 */
export async function browserPath(): Promise<string> {
  if (process.env.BROWSER_PATH) return process.env.BROWSER_PATH
  const place = join(unpacked, 'chromium')
  if (existsSync(place)) return place
  mkdirSync(cache, { recursive: true })
  const mine = mkdtempSync(join(cache, 'unpacking-'))
  const usual = process.env.TMPDIR
  // where the package unpacks to
  process.env.TMPDIR = mine
  await chromiumPackage.executablePath()
  if (usual === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = usual
  writeFileSync(join(mine, 'fonts.conf'), fontsIn('/usr/share/fonts', join(unpacked, 'fonts')))
  try {
    renameSync(mine, unpacked)
  } catch {
    rmSync(mine, { recursive: true })
  }
  return place
}

/** A machine of tests may have no font at all; the package brings one. */
function fontsIn(...folders: string[]): string {
  const lines = folders.map((folder) => `<dir>${folder}</dir>`)
  return `<?xml version="1.0"?><fontconfig>${lines.join('')}<cachedir>${join(unpacked, 'font-cache')}</cachedir></fontconfig>`
}
