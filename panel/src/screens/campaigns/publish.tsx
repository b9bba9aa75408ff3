import './rules/rules.css'
import { Button, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAsk } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useSession } from '../../session.ts'
import { words as clashWords } from './clash-words.ts'
import { words } from './publish-words.ts'
import { FindingsContext, LintFindings } from './rules/lint.tsx'
import { useIsUnsaved } from './unsaved.ts'
import { type Settings, useSaveCampaign, type Whole } from './use-campaign.ts'

/** The button that publishes a campaign or takes it back to draft, once the reader knows what that does. */
export function Publish({ read, onPublished }: { read: Whole; onPublished(): void }) {
  const text = useWords(words)
  const { account } = useSession()
  const saving = useSaveCampaign()
  const { isDraft } = read.settings
  // Where a colleague has published it meanwhile, the dialog must not ask for the opposite.
  const [asked, ask] = useState<'publish' | 'toDraft' | null>(null)
  const wanted = isDraft ? 'publish' : 'toDraft'
  const open = () => {
    saving.reset()
    ask(wanted)
  }
  const close = () => ask(null)
  const name = text[wanted]
  const confirm = async () => {
    await saving.save(read, { isDraft: !isDraft })
    close()
    if (isDraft) onPublished()
  }
  return (
    <>
      <Button variant={isDraft ? 'filled' : 'default'} onClick={open} disabled={account.suspended}>
        {name}
      </Button>
      <Confirm
        opened={asked === wanted}
        onClose={close}
        title={isDraft ? text.publishTitle : text.toDraftTitle}
        text={<Consequences settings={read.settings} />}
        action={name}
        isDangerous={!isDraft}
        send={saving}
        onConfirm={() => confirm().catch(() => {})}
      />
    </>
  )
}

function Consequences({ settings }: { settings: Settings }) {
  const text = useWords(words)
  const { isDraft, mechanism } = settings
  const comesAgain = mechanism.retry?.enabled || mechanism.cycle?.enabled
  const publishText = [...text.publishText, comesAgain ? text.ranOn : text.ranOut]
  const isUnsaved = useIsUnsaved(settings.id)
  return (
    <Stack>
      <List spacing="xs" size="sm">
        {(isDraft ? publishText : text.toDraftText).map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      {isDraft && isUnsaved && (
        <Text size="sm" fw={600}>
          {text.unsaved}
        </Text>
      )}
      {isDraft && <Surprising settings={{ ...settings, isDraft: false }} />}
    </Stack>
  )
}

/** What may be unexpected about the saved settings. */
function Surprising({ settings }: { settings: Settings }) {
  const text = useWords(words)
  const names = useWords(clashWords).settings
  const { data } = useAsk('POST /preview', { body: { settings, own: null, visitAfter: 'PT1H' } })
  const findings = data?.findings ?? []
  if (findings.length === 0) return null
  return (
    <FindingsContext value={{ faults: [], findings, timeZone: settings.timeZone }}>
      <Text size="sm">{text.look}</Text>
      <LintFindings of={findings} names={names} />
    </FindingsContext>
  )
}
