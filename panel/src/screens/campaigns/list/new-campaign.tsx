import { Button, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { type AnswerOf, useSend } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusMade } from '../../../parts/next-row.ts'
import { useOpenAfter } from '../../../parts/open-after.ts'
import { fromTemplate, type TemplateName, templateNames } from './templates.ts'
import { words } from './words.ts'

export function NewCampaign({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const text = useWords(words)
  // It is loaded by being opened.
  const [isOpen] = useOpenAfter(opened)
  return (
    <Modal opened={isOpen} onClose={onClose} title={text.new} size="lg">
      <NewForm />
    </Modal>
  )
}

function NewForm() {
  const text = useWords(words)
  const language = useLanguage()
  const [, go] = useLocation()
  const send = useSend('POST /campaigns')
  const [template, setTemplate] = useState<TemplateName>('hours')
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const settings = fromTemplate(template, name.trim() || text.templates[template].name, new Date(), language)
    const onSuccess = (made: AnswerOf<'POST /campaigns'>) => {
      go(`/campaigns/${made.settings.id}/rules`)
      focusMade(String(made.settings.id))
    }
    send.mutate({ body: { settings } }, { onSuccess })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{text.newText}</Text>
        <Radio.Group value={template} onChange={(next) => setTemplate(next as TemplateName)} aria-label={text.new}>
          <Stack gap="xs">
            {templateNames.map((one) => (
              <Radio.Card
                key={one}
                {...{ value: one, p: 'md', radius: 'md' }}
                data-autofocus={one === template || undefined}
                // One stop of Tab; the arrow keys go on from there.
                tabIndex={one === template ? 0 : -1}
              >
                <Text fw={600}>{text.templates[one].name}</Text>
                <Text size="sm" c="dimmed">
                  {text.templates[one].text}
                </Text>
              </Radio.Card>
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label={text.name}
          placeholder={text.templates[template].name}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Failure of={{ error: send.error }} />
        <Button type="submit" loading={send.isPending}>
          {text.create}
        </Button>
      </Stack>
    </form>
  )
}
