import type { ImportOutcome } from '../../../../../src/http/panel/leads.ts'
import { CallFailed, call } from '../../../api.ts'
import { type EmailLine, emailLines } from './read-emails.ts'

export type Outcome = ImportOutcome | 'malformed'
export type Refusal = Exclude<Outcome, 'created' | 'existing'>

/** What became of each line, and how far it got. */
export type Report = {
  lines: number[]
  outcomes: Outcome[]
  counts: { created: number; existing: number; refused: number }
  /** The first of them, to be shown. */
  refused: { line: number; reason: Refusal }[]
  /** Of the file, from 0 to 1. */
  done: number
}

export const refusedShown = 100
const batchSize = 500
/** An email that is longer is refused whatever it goes on with. */
const longestSent = 300
const triesAtOnce = 5

export type Run = {
  campaignId: number
  signal: AbortSignal
  onProgress(report: Report): void
  /** Resolves when it is to be tried again. */
  onFailed(error: CallFailed): Promise<void>
}

/** Imports the file batch by batch; nothing is lost where one of them fails. @throws NoEmailColumn */
export async function importFile(file: File, run: Run): Promise<void> {
  const report: Report = {
    ...{ lines: [], outcomes: [], refused: [], done: 0 },
    counts: { created: 0, existing: 0, refused: 0 },
  }
  let waiting: EmailLine[] = []
  let readBytes = 0
  const onRead = (bytes: number) => {
    readBytes = bytes
  }
  const send = async (batch: EmailLine[]) => {
    run.signal.throwIfAborted()
    const emails = batch.filter((one) => !one.isMalformed).map(({ email }) => (email ?? '').slice(0, longestSent))
    const outcomes = emails.length === 0 ? [] : await sendPatiently(emails, run)
    for (const { line, isMalformed } of batch) {
      add(report, line, isMalformed ? 'malformed' : (outcomes.shift() as ImportOutcome))
    }
    // What was read is partly still to be sent.
    const sent = report.lines.length / Math.max(1, report.lines.length + waiting.length)
    report.done = (readBytes / Math.max(1, file.size)) * sent
    run.onProgress({ ...report, counts: { ...report.counts } })
  }
  for await (const lines of emailLines(file, onRead)) {
    waiting.push(...lines)
    while (waiting.length >= batchSize) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      await send(batch)
    }
  }
  await send(waiting)
}

function add({ lines, outcomes, counts, refused }: Report, line: number, outcome: Outcome): void {
  lines.push(line)
  outcomes.push(outcome)
  if (outcome === 'created' || outcome === 'existing') counts[outcome] += 1
  else {
    counts.refused += 1
    if (refused.length < refusedShown) refused.push({ line, reason: outcome })
  }
}

/** Tries by itself what may pass, and then asks. */
async function sendPatiently(emails: string[], { campaignId, signal, onFailed }: Run): Promise<ImportOutcome[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const asked = { params: { campaignId }, body: { emails } }
      return [...(await call('POST /campaigns/:campaignId/leads/import', asked, signal)).outcomes]
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      const mayPass = error.code === 'OFFLINE' || error.code === 'SERVICE_UNAVAILABLE'
      if (mayPass && tries < triesAtOnce) await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** tries))
      else {
        await onFailed(error)
        tries = 0
      }
      signal.throwIfAborted()
    }
  }
}
