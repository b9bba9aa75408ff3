import type { ImportOutcome } from '../../../../../src/http/panel/leads.ts'
import { type AnswerOf, CallFailed, call } from '../../../api.ts'
import { type CsvFile, type EmailLine, emailLines } from './read-emails.ts'

type Outcome = ImportOutcome | 'malformed'
type Refusal = Exclude<Outcome, 'created' | 'existing'>

/** What became of the lines, and how far it got. */
export type Report = {
  counts: { created: number; existing: number; refused: number }
  refused: { line: number; email: string; reason: Refusal }[]
  /** Of the existing, those that an earlier try may have created, whose answer did not come. */
  perhapsNew: number
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

type Send = (emails: string[]) => Promise<readonly ImportOutcome[]>

/** Imports the file batch by batch; nothing is lost where one of them fails. */
export function importFile(csv: CsvFile, run: Run): Promise<void> {
  const params = { campaignId: run.campaignId }
  return sendFile(csv, run, async (emails) => {
    const asked = { params, body: { emails } }
    return (await call('POST /campaigns/:campaignId/leads/import', asked, run.signal)).outcomes
  })
}

const trial = 'POST /campaigns/:campaignId/leads/import/trial'
export type Foreseen = { count: number; offer: AnswerOf<typeof trial>['offer'] }

/** How many leads an import would make, and what they would get. Nothing is written. */
export async function tryFile(csv: CsvFile, run: Run): Promise<Foreseen | null> {
  const seen = new Set<string>()
  let offer: Foreseen['offer'] | undefined
  await sendFile(csv, run, async (emails) => {
    const asked = { params: { campaignId: run.campaignId }, body: { emails } }
    const answer = await call(trial, asked, run.signal)
    for (const [index, outcome] of answer.outcomes.entries()) {
      if (outcome === 'created') seen.add(emails[index] as string)
    }
    offer = answer.offer
    return answer.outcomes
  })
  return offer === undefined || seen.size === 0 ? null : { count: seen.size, offer }
}

async function sendFile(csv: CsvFile, run: Run, sendEmails: Send): Promise<void> {
  const report: Report = { refused: [], perhapsNew: 0, done: 0, counts: { created: 0, existing: 0, refused: 0 } }
  let waiting: EmailLine[] = []
  let readBytes = 0
  let sentLines = 0
  const onRead = (bytes: number) => {
    readBytes = bytes
  }
  const send = async (batch: EmailLine[]) => {
    run.signal.throwIfAborted()
    const emails = batch.filter((one) => !one.isMalformed).map(({ email }) => (email ?? '').slice(0, longestSent))
    const none = { answer: [], isRepeated: false }
    const { answer, isRepeated } = emails.length === 0 ? none : await untilAnswered(() => sendEmails(emails), run)
    const outcomes = [...answer]
    if (isRepeated) report.perhapsNew += outcomes.filter((outcome) => outcome === 'existing').length
    for (const line of batch) add(report, line, line.isMalformed ? 'malformed' : (outcomes.shift() as ImportOutcome))
    // What was read is partly still to be sent.
    sentLines += batch.length
    report.done = (readBytes / Math.max(1, csv.file.size)) * (sentLines / Math.max(1, sentLines + waiting.length))
    run.onProgress({ ...report, counts: { ...report.counts } })
  }
  for await (const lines of emailLines(csv, onRead)) {
    waiting.push(...lines)
    while (waiting.length >= batchSize) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      await send(batch)
    }
  }
  await send(waiting)
}

function add({ counts, refused }: Report, { line, email = '' }: EmailLine, outcome: Outcome): void {
  if (outcome === 'created' || outcome === 'existing') counts[outcome] += 1
  else {
    counts.refused += 1
    refused.push({ line, email, reason: outcome })
  }
}

/** Tries by itself what may pass, and then asks. `isRepeated` where an earlier try may have been carried out. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>, { signal, onFailed }: Run) {
  let isRepeated = false
  for (let tries = 1; ; tries += 1) {
    try {
      return { answer: await ask(), isRepeated }
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      // Nobody is there to be asked: the reader has stopped it, or went on as another user.
      signal.throwIfAborted()
      if (error.code === 'NOT_FOUND') throw error
      const mayPass = error.code === 'OFFLINE' || error.code === 'SERVICE_UNAVAILABLE'
      // The emails of a batch are stored one by one: some may have been before a fault.
      isRepeated ||= mayPass || error.code === 'INTERNAL_ERROR'
      if (mayPass && tries < triesAtOnce) await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** tries))
      else {
        await onFailed(error)
        tries = 0
      }
      signal.throwIfAborted()
    }
  }
}
