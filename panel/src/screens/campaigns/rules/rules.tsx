import './rules.css'
import { Alert, Button, Group, Modal, Paper, Stack, Text } from '@mantine/core'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useWords } from '../../../language.ts'
import { askBeforeLeaving } from '../../../leaving.ts'
import { useCloseLabel } from '../../../parts/confirm.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { useSession } from '../../../session.ts'
import type { PartProps } from '../campaign.tsx'
import { Publish } from '../publish.tsx'
import { useSaveCampaign } from '../use-campaign.ts'
import { type Draft, draftOf, isPersonal, isSame, rulesOf, settingsOf } from './draft.ts'
import { ForetoldSection } from './foretold.tsx'
import { elsewhere, Faults, JudgedContext } from './judged.tsx'
import { AgainSection, BasicsSection, DeadlineSection, PageSection } from './sections.tsx'
import { keepUnsaved, useUnsaved } from './unsaved.ts'
import { type Supposed, useForetold } from './use-foretold.ts'
import { words } from './words.ts'

/** The rules of a campaign in sentences, and beside them what they would do. */
export default function RulesPart({ read }: PartProps) {
  const editing = useEditing(read)
  const { draft, change, isChanged } = editing
  const [supposed, setSupposed] = useState<Supposed>({ own: '', visitAfter: 'PT1H' })
  const settings = { ...read.settings, ...settingsOf(draft) }
  const foretold = useForetold(settings, supposed)
  const { answer, timeZone } = foretold
  const judged = {
    faults: [...(answer?.faults ?? []), ...editing.faults],
    surprises: answer?.surprises ?? [],
    timeZone,
  }
  return (
    <JudgedContext value={judged}>
      <Stack gap="md">
        <Group justify="flex-end">
          <Publish read={read} />
        </Group>
        <div className="rules">
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              editing.save()
            }}
          >
            <Stack gap="md">
              <BasicsSection draft={draft} change={change} />
              <DeadlineSection draft={draft} change={change} />
              {isPersonal(draft.kind) && <AgainSection draft={draft} change={change} />}
              <PageSection draft={draft} change={change} />
              <SaveBar editing={editing} faults={judged.faults} isPublished={!read.settings.isDraft} />
            </Stack>
          </form>
          <ForetoldSection
            of={foretold}
            campaignId={read.settings.id}
            awaitsVisit={settings.mechanism.startsOn === 'visit'}
            supposed={supposed}
            suppose={(changes) => setSupposed({ ...supposed, ...changes })}
          />
        </div>
      </Stack>
      <LeaveDialog isAsked={isChanged} />
    </JudgedContext>
  )
}

type Editing = ReturnType<typeof useEditing>

/** The draft over what is saved, kept until it is saved or given up. */
function useEditing(read: PartProps['read']) {
  const campaignId = read.settings.id
  const unsaved = useUnsaved(campaignId)
  const saved = useMemo(() => rulesOf(read.settings), [read.settings])
  const draft = useMemo(() => unsaved?.draft ?? draftOf(saved), [unsaved, saved])
  const base = unsaved?.base ?? read
  // Other screens change other settings: only who changed the rules themselves would be overwritten.
  const isBehind = !isSame(rulesOf(base.settings), saved)
  const saving = useSaveCampaign(isBehind ? base : read)

  function change(changes: Partial<Draft>): void {
    const next = { ...draft, ...changes }
    const isAsSaved =
      !isBehind && JSON.stringify(settingsOf(next)) === JSON.stringify(settingsOf(draftOf(saved)))
    keepUnsaved(campaignId, isAsSaved ? undefined : { draft: next, base })
    if (saving.error !== null) saving.reset()
  }

  async function save(): Promise<void> {
    try {
      await saving.save(settingsOf(draft))
      keepUnsaved(campaignId, undefined)
    } catch {
      focusOnFault()
    }
  }

  function discard(): void {
    keepUnsaved(campaignId, undefined)
    saving.reset()
  }

  const { error, isPending } = saving
  const faults = error?.code === 'INVALID' ? error.faults : []
  return {
    draft,
    change,
    save,
    discard,
    error,
    faults,
    isPending,
    isBehind,
    isChanged: unsaved !== undefined,
  }
}

/** Once React has marked it. */
function focusOnFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus(), 50)
}

type SaveBarProps = { editing: Editing; faults: { path: string; message: string }[]; isPublished: boolean }

function SaveBar({ editing, faults, isPublished }: SaveBarProps) {
  const text = useWords(words)
  const { account } = useSession()
  const { isChanged, isPending, isBehind, error, discard } = editing
  const wrong = new Set(faults.map(({ path }) => path)).size
  const others = elsewhere(faults)
  return (
    <Paper
      withBorder
      p="sm"
      className="save"
      data-changed={isChanged || undefined}
      shadow={isChanged ? 'md' : 'none'}
    >
      <Stack gap="xs">
        {isBehind && (
          <Alert color="orange" variant="outline">
            {text.changedMeanwhile}
          </Alert>
        )}
        <Failure of={{ error }} />
        {others.length > 0 && (
          <div>
            <Text size="sm">{text.other}</Text>
            <Faults of={others} />
          </div>
        )}
        <Group justify="space-between" gap="sm">
          <div role="status">
            <Text size="sm" fw={600}>
              {isChanged ? text.unsaved : text.saved}
            </Text>
            {isChanged && wrong > 0 && <Text size="sm">{text.wrong(wrong)}</Text>}
          </div>
          <Group gap="xs">
            {isChanged && (
              <Button variant="default" onClick={discard} disabled={isPending}>
                {text.discard}
              </Button>
            )}
            <Button type="submit" loading={isPending} disabled={!isChanged || account.suspended}>
              {text.save}
            </Button>
          </Group>
        </Group>
        {isChanged && isPublished && (
          <Text size="xs" c="dimmed">
            {text.underWay}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

/** Asks before the reader leaves with unsaved changes; a browser that closes asks in words of its own. */
function LeaveDialog({ isAsked }: { isAsked: boolean }) {
  const text = useWords(words)
  const [isOpen, setIsOpen] = useState(false)
  const go = useRef<() => void>(undefined)
  useLayoutEffect(() => {
    if (!isAsked) return undefined
    return askBeforeLeaving((next) => {
      go.current = next
      setIsOpen(true)
    })
  }, [isAsked])
  useEffect(() => {
    if (!isAsked) return undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isAsked])
  const leave = () => {
    setIsOpen(false)
    go.current?.()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      title={text.leave}
      closeButtonProps={useCloseLabel()}
      centered
    >
      <Stack>
        <Text size="sm">{text.leaveText}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={leave}>
            {text.go}
          </Button>
          <Button data-autofocus onClick={() => setIsOpen(false)}>
            {text.stay}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
