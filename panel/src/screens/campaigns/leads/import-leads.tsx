import { Alert, Button, FileInput, Group, Modal, Progress, Stack, Table, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { CallFailed } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { csvFile, csvLine, download } from './csv.ts'
import { importFile, type Report, refusedShown } from './import-run.ts'
import { NoEmailColumn } from './read-emails.ts'
import { useLeadsAnew } from './use-leads.ts'
import { type LeadWords, numberText, words } from './words.ts'

const largestBytes = 200 * 1_048_576

type Phase = 'ready' | 'running' | 'done' | 'stopped'
type Trouble = 'noEmailColumn' | 'tooBig' | 'unreadable' | null

/** One import: what it has come to, and the means to end it or to try a failed part again. */
function useImport(campaignId: number) {
  const anew = useLeadsAnew(campaignId)
  const [phase, setPhase] = useState<Phase>('ready')
  const [report, setReport] = useState<Report | null>(null)
  const [trouble, setTrouble] = useState<Trouble>(null)
  const [failed, setFailed] = useState<{ error: CallFailed; refetch(): void } | null>(null)
  const stopper = useRef(new AbortController())
  useEffect(() => () => stopper.current.abort(), [])

  async function start(file: File) {
    stopper.current = new AbortController()
    const { signal } = stopper.current
    setTrouble(null)
    if (file.size > largestBytes) {
      setTrouble('tooBig')
      return
    }
    setReport(null)
    setPhase('running')
    const onFailed = (error: CallFailed) =>
      new Promise<void>((resolve) => {
        const goOn = () => {
          setFailed(null)
          resolve()
        }
        signal.addEventListener('abort', goOn, { once: true })
        setFailed({ error, refetch: goOn })
      })
    try {
      await importFile(file, { campaignId, signal, onProgress: setReport, onFailed })
      setPhase('done')
    } catch (error) {
      setPhase(signal.aborted ? 'stopped' : 'ready')
      if (!signal.aborted) setTrouble(error instanceof NoEmailColumn ? 'noEmailColumn' : 'unreadable')
    }
    await anew()
  }

  const reset = () => {
    setPhase('ready')
    setReport(null)
    setTrouble(null)
  }
  return { phase, report, trouble, failed, start, stop: () => stopper.current.abort(), reset }
}

type Props = { campaignId: number; opened: boolean; onClose(): void }

export function ImportLeads({ campaignId, opened, onClose }: Props) {
  const text = useWords(words)
  const running = useImport(campaignId)
  const [file, setFile] = useState<File | null>(null)
  const { phase, report, trouble, failed } = running
  const isRunning = phase === 'running'
  const isOver = phase === 'done' || phase === 'stopped'
  useStayOpen(isRunning)
  const close = () => {
    onClose()
    setFile(null)
    running.reset()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={text.importTitle}
      // What runs is stopped on purpose, not by a stray click.
      {...{ withCloseButton: !isRunning, closeOnClickOutside: !isRunning, closeOnEscape: !isRunning }}
      closeButtonProps={{ 'aria-label': text.close }}
    >
      <Stack>
        {phase === 'ready' && (
          <>
            <Text size="sm">{text.importText}</Text>
            <FileInput
              label={text.importFile}
              placeholder={text.importPick}
              accept=".csv,text/csv,text/plain"
              value={file}
              error={trouble === null ? undefined : text[trouble]}
              onChange={(next) => {
                setFile(next)
                running.reset()
              }}
            />
            <Button disabled={file === null} onClick={() => file !== null && running.start(file)}>
              {text.importDo}
            </Button>
          </>
        )}
        {(isRunning || isOver) && <Counts report={report} phase={phase} />}
        {failed !== null && <Failure of={failed} />}
        {isRunning && (
          <Button variant="default" onClick={running.stop}>
            {text.stop}
          </Button>
        )}
        {isOver && report !== null && <Refused report={report} />}
        {isOver && (
          <Group justify="end">
            {report !== null && (
              <Button
                variant="default"
                onClick={() => download(reportFile(report, text), 'import-report.csv')}
              >
                {text.report}
              </Button>
            )}
            <Button onClick={close}>{text.close}</Button>
          </Group>
        )}
      </Stack>
    </Modal>
  )
}

function Counts({ report, phase }: { report: Report | null; phase: Phase }) {
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
    </Stack>
  )
}

function Refused({ report: { refused, counts } }: { report: Report }) {
  const text = useWords(words)
  if (refused.length === 0) return null
  return (
    <Stack gap="xs">
      <Table.ScrollContainer minWidth={280} maxHeight={260}>
        <Table stickyHeader aria-label={text.refused}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={90}>{text.line}</Table.Th>
              <Table.Th>{text.reason}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {refused.map(({ line, reason }) => (
              <Table.Tr key={`${line} ${reason}`}>
                <Table.Td>{line}</Table.Td>
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

/** Every line with what became of it; no address, as in the report of the command line. */
function reportFile({ lines, outcomes }: Report, text: LeadWords): Blob {
  const names = { created: text.created, existing: text.existing, ...text.reasons }
  const parts = [csvLine([text.line, text.outcome])]
  for (const [index, line] of lines.entries()) {
    const outcome = outcomes[index]
    if (outcome !== undefined) parts.push(csvLine([line, names[outcome]]))
  }
  return csvFile(parts)
}

/** Whoever closes the window in the middle of something is asked first. */
export function useStayOpen(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isBusy])
}
