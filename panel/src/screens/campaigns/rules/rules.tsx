import './rules.css'
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useWords } from '../../../language.ts'
import { idle } from '../../../parts/next-row.ts'
import { MemberFields } from '../../../parts/role-note.tsx'
import { useMay, useSession } from '../../../session.ts'
import { Behind } from '../clash.tsx'
import type { PartProps, Settings, Whole } from '../use-campaign.ts'
import { useEdited } from '../use-edited.ts'
import { type Draft, draftOf, isPersonal, kindFaults, rulesOf, settingsOf } from './draft.ts'
import { elsewhere, Faults, FindingsContext } from './lint.tsx'
import { ForetoldSection } from './preview.tsx'
import { AgainSection, BasicsSection, DeadlineSection, PageSection } from './sections.tsx'
import { type Supposed, usePreview } from './use-preview.ts'
import { words } from './words.ts'

/** The rules of a campaign in sentences, and beside them what they would do. */
export default function RulesPart({ read }: PartProps) {
  const editing = useEditing(read)
  const { draft, change } = editing
  const may = useMay('member')
  const [supposed, setSupposed] = useState<Supposed>({ own: '', visitAfter: 'PT1H' })
  const settings = { ...read.settings, ...settingsOf(draft) }
  const preview = usePreview(settings, supposed)
  const { answer, timeZone } = preview
  const judgement = {
    faults: [...(answer?.faults ?? []), ...editing.faults],
    findings: answer?.findings ?? [],
    timeZone,
  }
  return (
    <FindingsContext value={judgement}>
      <Stack gap="md">
        <div className="rules">
          <form noValidate onSubmit={editing.submit}>
            <Stack gap="md">
              <MemberFields>
                <Stack gap="md">
                  <BasicsSection draft={draft} change={change} />
                  <DeadlineSection draft={draft} change={change} />
                  {isPersonal(draft.kind) && <AgainSection draft={draft} change={change} />}
                  <PageSection draft={draft} change={change} />
                </Stack>
              </MemberFields>
              {/* Who was made a viewer meanwhile still sees what is not saved, and can give it up. */}
              {(may || editing.isChanged) && <SaveBar editing={editing} faults={judgement.faults} read={read} />}
            </Stack>
          </form>
          <ForetoldSection
            {...{ of: preview, settings, supposed }}
            suppose={(changes) => setSupposed({ ...supposed, ...changes })}
          />
        </div>
      </Stack>
    </FindingsContext>
  )
}

type Editing = ReturnType<typeof useEditing>

const form = {
  part: 'rules' as const,
  draftOf: (settings: Settings) => draftOf(rulesOf(settings)),
  settingsOf,
}

function useEditing(read: PartProps['read']) {
  const { draft, change, error, ...edited } = useEdited<Draft>(read, form)
  return {
    ...edited,
    draft,
    error,
    change: (changes: Partial<Draft>) => change({ ...draft, ...changes }),
    faults: [...(error?.code === 'INVALID' ? error.faults : []), ...kindFaults(read, draft)],
  }
}

const savedMs = 4_000

/** While something is to be saved, and until one has read that it is. */
function useInSight(isChanged: boolean): boolean {
  const [isInSight, setInSight] = useState(isChanged)
  useEffect(() => {
    const timer = setTimeout(() => setInSight(isChanged), isChanged ? 0 : savedMs)
    return () => clearTimeout(timer)
  }, [isChanged])
  return isChanged || isInSight
}

/** The bar stands over the end of the window: a field that has the focus there is scrolled out from under it. */
function useUncovered(bar: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const form = bar.current?.closest('form')
    const uncover = () => {
      const field = document.activeElement
      // What is pressed would be gone from under the pointer, and there would be no click.
      const isPressed = document.documentElement.hasAttribute('data-pressed')
      if (isPressed || !form?.contains(field) || bar.current?.contains(field)) return
      const over = (field?.getBoundingClientRect().bottom ?? 0) + 8 - (bar.current?.getBoundingClientRect().top ?? 0)
      if (over > 0) window.scrollBy(0, over)
    }
    // The bar itself comes with the first change, and grows with what is wrong.
    const size = new ResizeObserver(uncover)
    if (bar.current) size.observe(bar.current)
    const later = () => setTimeout(uncover)
    const ended = new AbortController()
    for (const event of ['focusin', 'input']) form?.addEventListener(event, later, ended)
    for (const event of ['pointerup', 'pointercancel']) window.addEventListener(event, later, ended)
    return () => {
      size.disconnect()
      ended.abort()
    }
  }, [bar])
}

type SaveBarProps = { editing: Editing; faults: { path: string; message: string }[]; read: Whole }

function SaveBar({ editing, faults, read }: SaveBarProps) {
  const text = useWords(words)
  const { account } = useSession()
  const { isChanged, isPending, discard } = editing
  const wrong = new Set(faults.map(({ path }) => path))
  const others = elsewhere(faults)
  const bar = useRef<HTMLDivElement>(null)
  useUncovered(bar)
  const isInSight = useInSight(isChanged)
  // A draft may have leads from when it was published; while it is published, some may come at any time.
  const reachesLeads = read.hasLeads || !read.settings.isDraft
  return (
    <Paper
      ref={bar}
      withBorder
      p="sm"
      className="save"
      data-changed={isInSight || undefined}
      shadow={isInSight ? 'md' : 'none'}
    >
      <Stack gap="xs">
        <Behind of={editing} />
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
            {isChanged && wrong.size > 0 && <Text size="sm">{text.wrong(wrong.size)}</Text>}
          </div>
          <Group gap="xs">
            {isChanged && (
              <Button variant="default" onClick={discard} disabled={isPending}>
                {text.discard}
              </Button>
            )}
            <Button type="submit" loading={isPending} disabled={account.suspended} {...idle(!isChanged)}>
              {text.save}
            </Button>
          </Group>
        </Group>
        {/* A change of the kind that is refused reaches no lead. */}
        {isChanged && reachesLeads && !wrong.has('mechanism.deadline.kind') && (
          <ForLeads draft={editing.draft} saved={read.settings} />
        )}
      </Stack>
    </Paper>
  )
}

/** What the change means for the leads that there are. */
function ForLeads({ draft, saved }: { draft: Draft; saved: Settings }) {
  const text = useWords(words)
  const isForSome = isPersonal(draft.kind)
  const waitedForVisit = saved.mechanism.startsOn === 'visit'
  return (
    <Text size="xs" c="dimmed">
      {isForSome ? text.underWay : text.atOnce}
      {isForSome && waitedForVisit && draft.startsOn === 'registration' && ` ${text.stillWait}`}
    </Text>
  )
}
