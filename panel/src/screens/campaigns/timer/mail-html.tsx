import { Button, Group, List, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useAsk } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { CopyBlock } from '../../../parts/copy.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { languageName } from '../../../parts/language-name.ts'
import { Waiting } from '../../../parts/loaded.tsx'
import { RoleNote } from '../../../parts/role-note.tsx'
import { useMay } from '../../../session.ts'
import { ExportLeads } from '../leads/export-leads.tsx'
import { NoLinks } from '../leads/no-links.tsx'
import type { PartProps } from '../use-campaign.ts'
import { MailServiceSelect } from './mail-service-select.tsx'
import { TestMail } from './test-mail.tsx'
import { useMailService } from './use-mail-service.ts'
import { words } from './words.ts'

/** What to paste into the mail, with the merge tags of the service that sends it. */
export function MailHtml({ read }: PartProps) {
  const text = useWords(words)
  const may = useMay('member')
  const reader = useLanguage()
  const chosen = useMailService()
  const [link, setLink] = useState('0')
  const [isExporting, exporting] = useDisclosure(false)
  const campaignId = read.settings.id
  const asked = { params: { campaignId }, query: { service: chosen.service, link } }
  // With another service or page the rest of the screen stays, and the focus on what was chosen.
  const options = { staleMs: 5_000, enabled: chosen.isKnown, keepsPrevious: true }
  const mail = useAsk('GET /campaigns/:campaignId/mail', asked, options)
  if (chosen.asked.isLoadingError) return <Failure of={chosen.asked} />
  if (mail.isLoadingError) return <Failure of={mail} />
  if (mail.isPending) return <Waiting />
  const { html, pages, language, sample, linkField } = mail.data
  const hasTimer = read.settings.mailTimer !== null
  return (
    <Stack>
      <Title order={2} size="h3">
        {text.html}
      </Title>
      <NoLinks settings={read.settings} />
      <Text>
        {text.htmlText} {hasTimer && text.mText}
      </Text>
      <MailServiceSelect of={chosen} />
      <Text size="sm">{(text.notes[chosen.service] ?? text.otherNote).replaceAll('LC_LINK', linkField)}</Text>
      {pages.length > 1 && (
        <NativeSelect
          label={text.linkTo}
          data={pages.map((page, index) => ({ value: String(index), label: page }))}
          value={link}
          onChange={(event) => setLink(event.currentTarget.value)}
        />
      )}
      {mail.isPlaceholderData ? <Waiting /> : <CopyBlock text={html} name={text.html} />}
      {may && <WithoutCode onExport={exporting.open} />}
      <ExportLeads
        key={chosen.service}
        settings={read.settings}
        filter={{ prefix: '', part: '', state: null, sort: 'email' }}
        opened={isExporting}
        isAtOnce
        onClose={exporting.close}
      />
      <Text size="sm" c="dimmed">
        {text.deadlineIn(languageName(reader, language), sample)} {hasTimer && text.why}
      </Text>
      <RoleNote needed="member">{text.onlyMembers}</RoleNote>
      {may && <TestMail campaignId={campaignId} isDraft={read.settings.isDraft} link={Number(link)} />}
    </Stack>
  )
}

/** The way by a file of the contacts. */
function WithoutCode({ onExport }: { onExport(): void }) {
  const text = useWords(words)
  return (
    <>
      <Title order={3} size="h4">
        {text.noCode}
      </Title>
      <List type="ordered" spacing={4}>
        {text.noCodeSteps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <Text size="sm">{text.twoCampaigns}</Text>
      <Group>
        <Button variant="default" onClick={onExport}>
          {text.contacts}
        </Button>
      </Group>
    </>
  )
}
