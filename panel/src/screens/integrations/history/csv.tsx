import { call } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { asciiFile } from '../../../parts/csv.ts'
import { CsvButton } from '../../../parts/csv-button.tsx'
import type { Entry } from './use-history.ts'
import { queryOf, type Wanted } from './wanted.ts'
import { words } from './words.ts'

/** Lines of one file: what a spreadsheet still takes, and a browser's memory too. */
const mostLines = 100_000

const columns = ['time', 'request_id', 'key_id', 'operation', 'campaign_id', 'status', 'error_code', 'milliseconds']

function cellsOf({ atMs, requestId, keyId, operation, campaignId, status, errorCode, milliseconds }: Entry) {
  return [new Date(atMs).toISOString(), requestId, keyId, operation, campaignId, status, errorCode, milliseconds]
}

/** All entries that the filters let through. */
export function CsvExport({ wanted }: { wanted: Wanted }) {
  const { csvCut } = useWords(words)
  return (
    <CsvButton
      name="requests"
      read={(place, signal) => call('GET /history', { query: { ...queryOf(wanted), ...place } }, signal)}
      {...{ columns, cellsOf }}
      file={asciiFile}
      limit={{ lines: mostLines, said: csvCut }}
      isAtEnd
    />
  )
}
