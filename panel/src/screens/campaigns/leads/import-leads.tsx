import { Alert, Button, FileInput, Group, Modal, Progress, Stack, Table, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { csvFile, csvLine, download } from './csv.ts'
import { type Report, refusedShown } from './import-run.ts'
import { forgetImport, type Importing, startImport, stopImport, useImporting } from './importing.ts'
import { useLeadsAnew } from './use-leads.ts'
import { type LeadWords, numberText, words } from './words.ts'

type Props = { campaignId: number; opened: boolean; onClose(): void }

export function ImportLeads({ campaignId, opened, onClose }: Props) {
  const text = useWords(words)
  const { phase, report, trouble, failed } = useImporting(campaignId)
  const anew = useLeadsAnew(campaignId)
  const [file, setFile] = useState<File | null>(null)
  const resetInput = useRef<() => void>(null)
  const isRunning = phase === 'running'
  const isOver = phase === 'done' || phase === 'stopped'
  const close = () => {
    onClose()
    setFile(null)
    forgetImport(campaignId)
  }
  const choose = (next: File | null) => {
    setFile(next)
    forgetImport(campaignId)
    // Browsers do not tell that the same file was chosen again, which may have been corrected meanwhile.
    resetInput.current?.()
  }
  return (
    <Modal
      // Somebody who left the screen in the middle of an import finds it again.
      opened={opened || phase !== 'ready'}
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
              onChange={choose}
              resetRef={resetInput}
            />
            <Button disabled={file === null} onClick={() => file !== null && startImport(campaignId, file).then(anew)}>
              {text.importDo}
            </Button>
          </>
        )}
        {(isRunning || isOver) && <Counts report={report} phase={phase} trouble={trouble} />}
        {failed !== null && <Failure of={failed} />}
        {isRunning && (
          <Button variant="default" onClick={() => stopImport(campaignId)}>
            {text.stop}
          </Button>
        )}
        {isOver && report !== null && <Refused report={report} />}
        {isOver && (
          <Group justify="end">
            {report !== null && (
              <Button variant="default" onClick={() => download(reportFile(report, text), 'import-report.csv')}>
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
