import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { CallFailed } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { useStayOpen } from '../../../leaving.ts'
import { download } from '../../../parts/download.ts'
import { Failure } from '../../../parts/failure.tsx'
import { useFocusOfStep } from '../../../parts/next-row.ts'
import { MailServiceSelect } from '../timer/mail-service-select.tsx'
import { type MailService, useMailService } from '../timer/use-mail-service.ts'
import type { Settings } from '../use-campaign.ts'
import { type Exported, exportLeads } from './export-run.ts'
import { NoLinks } from './no-links.tsx'
import { type Filter, isNarrow } from './use-leads.ts'
import { words } from './words.ts'

type Phase = 'ready' | 'running' | 'done'

function useExport(settings: Settings, filter: Filter, service: MailService) {
  const [phase, setPhase] = useState<Phase>('ready')
  const [exported, setExported] = useState<Exported | null>(null)
  const [error, setError] = useState<CallFailed | null>(null)
  const client = useQueryClient()
  const stopper = useRef(new AbortController())
  useEffect(() => () => stopper.current.abort(), [])

  /** Goes on where it ended, if it was under way and the campaign is still the same. */
  async function start() {
    stopper.current = new AbortController()
    const { signal } = stopper.current
    setError(null)
    setPhase('running')
    try {
      for await (const so of exportLeads(settings, filter, service, exported, signal)) setExported(so)
      setPhase('done')
    } catch (failure) {
      setPhase('ready')
      if (failure instanceof CallFailed) setError(failure)
      else if (!signal.aborted) throw failure
      if (failure instanceof CallFailed && failure.code === 'CHANGED_MEANWHILE') {
        setExported(null)
        // What else is shown of the campaign is from before as well.
        client.invalidateQueries()
      }
    }
  }

  const reset = () => {
    stopper.current.abort()
    setPhase('ready')
    setExported(null)
    setError(null)
  }
  return { phase, exported, error, start, stop: () => stopper.current.abort(), reset }
}

type Props = {
  settings: Settings
  filter: Filter
  opened: boolean
  /** It begins when it is opened, and the file is saved when it is whole: the mail service is chosen already. */
  isAtOnce?: boolean
  onClose(): void
}

export function ExportLeads({ settings, filter, opened, isAtOnce = false, onClose }: Props) {
  const text = useWords(words)
  const chosen = useMailService()
  const { phase, exported, error, start, stop, reset } = useExport(settings, filter, chosen.service)
  const isRunning = phase === 'running'
  const isFiltered = !filter.refs && isNarrow(filter)
  useStayOpen(isRunning)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened
  useEffect(() => {
    if (isAtOnce && opened) start()
  }, [isAtOnce, opened])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is whole
  useEffect(() => {
    if (isAtOnce && phase === 'done' && exported !== null) download(exported.file(), exported.name)
  }, [isAtOnce, phase])
  const inside = useFocusOfStep(phase)
  const close = () => {
    onClose()
    reset()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={text.exportTitle}
      {...{ withCloseButton: !isRunning, closeOnClickOutside: !isRunning, closeOnEscape: !isRunning }}
    >
      <Stack ref={inside}>
        <Text size="sm">{text.exportText}</Text>
        <NoLinks settings={settings} />
        {isFiltered && <Text size="sm">{text.exportFiltered}</Text>}
        {!isAtOnce && <MailServiceSelect of={chosen} disabled={exported !== null} />}
        <Found {...{ phase, exported }} />
        <Failure of={error === null ? chosen.asked : { error, refetch: start }} changed={text.exportChanged} />
        {phase === 'ready' && error === null && (
          <Button data-autofocus disabled={!chosen.isKnown} onClick={start}>
            {exported === null ? text.exportDo : text.goOn}
          </Button>
        )}
        {isRunning && (
          <Button variant="default" data-autofocus onClick={stop}>
            {text.stop}
          </Button>
        )}
        {phase === 'done' && exported !== null && (
          <Button data-autofocus onClick={() => download(exported.file(), exported.name)}>
            {text.download}
          </Button>
        )}
      </Stack>
    </Modal>
  )
}

/** How many leads so far, and what to know of some of them. */
function Found({ phase, exported }: { phase: Phase; exported: Exported | null }) {
  const text = useWords(words)
  return (
    <>
      {/* Screen readers say how far it got when it ends, and not at each of a hundred steps. */}
      <Group gap="sm" role="status" aria-busy={phase === 'running'}>
        {phase === 'running' && exported === null && <Text size="sm">{text.exportRunning}</Text>}
        {exported !== null && phase !== 'done' && (
          <Text size="sm">
            {text.read(exported.read)}, {text.found(exported.count)}
          </Text>
        )}
        {exported !== null && phase === 'done' && (
          <Text size="sm" fw={600}>
            {text.exportDone(exported.count)}
          </Text>
        )}
      </Group>
      {exported !== null && exported.marked > 0 && <Text size="sm">{text.exportMarked(exported.marked)}</Text>}
      {exported !== null && exported.endless > 0 && <Text size="sm">{text.exportEndless(exported.endless)}</Text>}
      {exported !== null && exported.over > 0 && <Text size="sm">{text.exportOver(exported.over)}</Text>}
    </>
  )
}
