import { Alert, Button, Group, Modal, Progress, Stack, Table, Text } from '@mantine/core'
import { useLanguage, useWords } from '../../../language.ts'
import { csvFile, csvLine } from '../../../parts/csv.ts'
import { download } from '../../../parts/download.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusMade, rowMark, useFocusOfStep } from '../../../parts/next-row.ts'
import { TimesIn } from '../../../parts/time-text.tsx'
import { words as common } from '../../../parts/words.ts'
import type { Settings } from '../use-campaign.ts'
import { ChooseFile } from './choose-file.tsx'
import { type Foreseen, type Report, refusedShown } from './import-run.ts'
import {
  forgetImport,
  goOnImporting,
  type Importing,
  isThere,
  startImport,
  stopImport,
  useImporting,
} from './importing.ts'
import classes from './leads.module.css'
import { refusedFacts } from './read-emails.ts'
import { useLeadsAgain } from './use-leads.ts'
import { type LeadWords, numberText, words } from './words.ts'

/** Characters of what was refused; it may be anything. */
const longestShown = 100

type Props = { settings: Settings; opened: boolean; onOpen(): void; onClose(): void }

/** What runs goes on while its dialog is closed: a line on the screen then says how it is, and opens it again. */
export function ImportLeads({ settings, opened, onOpen, onClose }: Props) {
  const text = useWords(words)
  const { id: campaignId, isDraft } = settings
  const importing = useImporting(campaignId)
  const { phase, report, trouble, failed, asked } = importing
  const again = useLeadsAgain(campaignId)
  const isRunning = phase === 'trying' || phase === 'running'
  const isOver = phase === 'done' || phase === 'stopped'
  const inside = useFocusOfStep(phase)
  const close = () => {
    onClose()
    if (!isRunning) forgetImport(campaignId)
    // The line that may have opened the dialog was gone meanwhile.
    focusMade('import')
  }
  return (
    <>
      {!opened && <Waits importing={importing} onOpen={onOpen} />}
      <Modal
        {...{ opened, size: 'lg', title: text.importTitle }}
        onClose={close}
        // What runs is left on purpose, not by a stray click.
        closeOnClickOutside={!isRunning}
      >
        <Stack ref={inside}>
          {phase === 'ready' && (
            <ChooseFile
              trouble={trouble}
              onChange={() => forgetImport(campaignId)}
              onStart={(csv) => startImport(campaignId, csv, isDraft).then(again)}
            />
          )}
          {phase === 'asking' && asked !== null && (
            <AskDraft
              foreseen={asked.foreseen}
              timeZone={settings.timeZone}
              onCancel={close}
              onGoOn={() => goOnImporting(campaignId, asked.csv).then(again)}
            />
          )}
          {phase === 'trying' && <Progress value={100 * (report?.done ?? 0)} aria-label={text.importTrying} animated />}
          {(phase === 'running' || isOver) && <Counts report={report} phase={phase} trouble={trouble} />}
          {failed !== null && <Failure of={failed} />}
          {isRunning && (
            <Button variant="default" data-autofocus onClick={() => stopImport(campaignId)}>
              {text.stop}
            </Button>
          )}
          {isOver && report !== null && <Refused report={report} />}
          {isOver && (
            <Group justify="end">
              {report !== null && report.refused.length > 0 && (
                <Button variant="default" onClick={() => download(refusedFile(report, text), 'import-refused.csv')}>
                  {text.report}
                </Button>
              )}
              <Button data-autofocus onClick={close}>
                {text.close}
              </Button>
            </Group>
          )}
        </Stack>
      </Modal>
    </>
  )
}

function Waits({ importing, onOpen }: { importing: Importing; onOpen(): void }) {
  const text = useWords(words)
  const { phase, failed } = importing
  if (!isThere(importing)) return null
  const { importTrying: trying, importRunning: running, importDone: done, importStopped: stopped } = text
  const said = { trying, running, done, stopped, ready: text.importWaits, asking: text.importWaits }
  return (
    <Alert color="violet" variant="outline" py="xs" {...rowMark('imports', 'import')}>
      <Group justify="space-between">
        <Text size="sm" role="status">
          {failed === null ? said[phase] : text.importWaits}
        </Text>
        <Button size="xs" variant="default" onClick={onOpen}>
          {text.importShow}
        </Button>
      </Group>
    </Alert>
  )
}

type AskProps = { foreseen: Foreseen; timeZone: string; onCancel(): void; onGoOn(): void }

/** Time runs in a draft too, whose links and countdowns do not work. */
function AskDraft({ foreseen, timeZone, onCancel, onGoOn }: AskProps) {
  const text = useWords(words)
  const { cancel } = useWords(common)
  return (
    <Stack>
      <Alert color="orange" variant="outline" title={text.importDraft}>
        <Text size="sm" mb="xs">
          <Offers {...{ foreseen, timeZone }} />
        </Text>
        <Text size="sm">{foreseen.offer.state === 'expired' ? text.importOverText : text.importDraftText}</Text>
      </Alert>
      <Group justify="end">
        <Button variant="default" data-autofocus onClick={onCancel}>
          {cancel}
        </Button>
        <Button onClick={onGoOn}>{text.importAnyway}</Button>
      </Group>
    </Stack>
  )
}

/** How many there will be, from when and until when. */
function Offers({ foreseen: { count, offer }, timeZone }: Pick<AskProps, 'foreseen' | 'timeZone'>) {
  const text = useWords(words)
  const { state, opensAt, deadline } = offer
  if (state === 'pending') return text.importPending(count)
  const at = [state === 'scheduled' ? opensAt : null, deadline].filter((one) => one !== null)
  const say = (first = '', second = '') => {
    if (state === 'expired') return text.importOver(count, first)
    if (state === 'scheduled') return text.importLater(count, first, second)
    return deadline === null ? text.importEndless(count) : text.importUntil(count, first)
  }
  return <TimesIn {...{ at, say, timeZone }} />
}

function Counts({ report, phase, trouble }: Pick<Importing, 'report' | 'phase' | 'trouble'>) {
  const text = useWords(words)
  const language = useLanguage()
  const counts = report?.counts ?? { created: 0, existing: 0, refused: 0 }
  const percent = phase === 'done' ? 100 : Math.floor(100 * (report?.done ?? 0))
  return (
    <Stack gap="xs">
      <div role="status">
        {phase === 'running' && <Text size="sm">{text.importRunning}</Text>}
        {phase === 'done' && <Text fw={600}>{text.importDone}</Text>}
        {phase === 'stopped' && (
          <Alert color="orange" variant="outline">
            {trouble !== null && <Text size="sm">{text[trouble]}</Text>}
            {text.importStopped}
          </Alert>
        )}
      </div>
      <Progress value={percent} aria-label={text.importTitle} animated={phase === 'running'} />
      <Group gap="xl">
        {(['created', 'existing', 'refused'] as const).map((name) => (
          <div key={name}>
            <Text size="xl" fw={650} data-count={name}>
              {numberText(language, counts[name])}
            </Text>
            <Text size="sm" c="dimmed">
              {text[name]}
            </Text>
          </div>
        ))}
      </Group>
      {report !== null && report.perhapsNew > 0 && <Text size="sm">{text.perhapsNew(report.perhapsNew)}</Text>}
    </Stack>
  )
}

function Refused({ report: { refused, counts } }: { report: Report }) {
  const text = useWords(words)
  if (refused.length === 0) return null
  return (
    <Stack gap="xs">
      <Table.ScrollContainer
        minWidth={280}
        maxHeight={260}
        // What scrolls has to be reached by keyboard.
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': text.refused } }}
      >
        <Table stickyHeader aria-label={text.refused}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={70}>{text.line}</Table.Th>
              <Table.Th>{text.email}</Table.Th>
              <Table.Th>{text.reason}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {refused.slice(0, refusedShown).map(({ line, email, reason }) => (
              <Table.Tr key={`${line} ${reason}`}>
                <Table.Td>{line}</Table.Td>
                <Table.Td className={classes.address}>{email.slice(0, longestShown)}</Table.Td>
                <Table.Td>{text.reasons[reason]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {counts.refused > refusedShown && (
        <Text size="sm" c="dimmed">
          {text.firstOf(refusedShown, counts.refused)}
        </Text>
      )}
    </Stack>
  )
}

/** What was refused and why, to be corrected and imported again. */
function refusedFile({ refused }: Report, text: LeadWords): Blob {
  const lines = refused.map(({ line, email, reason }) => csvLine([email, text.reasons[reason], line]))
  return csvFile([csvLine(['email', ...refusedFacts]), ...lines])
}
