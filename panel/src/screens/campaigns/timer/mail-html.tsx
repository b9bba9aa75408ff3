import { Alert, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../../language.ts'
import { CopyBlock } from '../../../parts/copy.tsx'
import type { PartProps } from '../campaign.tsx'
import { type MailService, mailServices, mergeTag } from './mail-services.ts'
import { mailSnippet } from './mail-snippet.ts'
import { mailWords } from './mail-words.ts'
import type { MailLanguage, Style } from './usual-style.ts'
import { words } from './words.ts'

/** What to paste into the mail, with the merge tags of the service that sends it. */
export function MailHtml({ read, style, language }: PartProps & { style: Style; language: MailLanguage }) {
  const text = useWords(words)
  const [service, setService] = useState<MailService>('other')
  const names = Object.entries(mailServices).map(([value, { name }]) => ({ value, label: name }))
  const tag = (field: 'LINK' | 'TIMER' | 'DEADLINE') => mergeTag(service, field)
  const tags = { link: tag('LINK'), timer: tag('TIMER'), deadline: tag('DEADLINE') }
  const html = mailSnippet(tags, { width: style.width, height: style.height }, mailWords[language])
  return (
    <Stack>
      <Title order={2} size="h3">
        {text.html}
      </Title>
      {!read.settings.pages.some(({ eligible }) => eligible) && (
        <Alert color="orange" variant="outline">
          {text.noPage}
        </Alert>
      )}
      <Text>{text.htmlText}</Text>
      <NativeSelect
        label={text.service}
        data={[...names, { value: 'other', label: text.other }]}
        value={service}
        maw={320}
        onChange={(event) => setService(event.currentTarget.value as MailService)}
      />
      <Text size="sm">{text.notes[service] ?? text.otherNote}</Text>
      {language !== 'en' && language !== 'pl' && <Text size="sm">{text.languageOfTimer(language)}</Text>}
      <CopyBlock text={html} name={text.html} />
      <Text size="sm" c="dimmed">
        {text.why}
      </Text>
    </Stack>
  )
}
