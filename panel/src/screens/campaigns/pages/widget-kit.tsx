import { SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useLanguage, useWords } from '../../../language.ts'
import { CopyBlock } from '../../../parts/copy.tsx'
import { useSession } from '../../../session.ts'
import { formExample, offerExample, widgetSnippet } from './widget-html.ts'
import { words } from './words.ts'

const pictures = ['bar', 'offer', 'form'] as const

/** What puts the widget on a page, and how it looks there. */
export function WidgetKit({ campaignId }: { campaignId: number }) {
  const text = useWords(words)
  const { publicUrl } = useSession()
  return (
    <Stack>
      <Title order={2} size="h3">
        {text.widget}
      </Title>
      <Text>{text.widgetText}</Text>
      <CopyBlock name={text.snippet} text={widgetSnippet(publicUrl, campaignId)} />
      <Picture />
      <Text>{text.offerText}</Text>
      <CopyBlock name={text.offerSnippet} text={offerExample(text.example, 'https://example.com/buy')} />
      <Text>{text.formText}</Text>
      <CopyBlock name={text.formSnippet} text={formExample(text.formExample)} />
    </Stack>
  )
}

/** A page of the service with a sample offer: it counts no visit, and is not seen. */
function Picture() {
  const text = useWords(words)
  const language = useLanguage()
  const [shown, setShown] = useState<string>('bar')
  // The ref of nobody: the frame keeps nothing, and without one the widget asks for no offer.
  const address = new URL(`panel/widget-picture/${shown}.${language}?lc=${'0'.repeat(32)}`, document.baseURI)
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {text.pictureText}
      </Text>
      <SegmentedControl
        aria-label={text.picture}
        data={pictures.map((value) => ({ value, label: text.pictures[value] }))}
        value={shown}
        onChange={setShown}
        style={{ alignSelf: 'start' }}
      />
      <iframe
        key={shown}
        src={address.href}
        title={text.picture}
        sandbox="allow-scripts allow-forms"
        style={{
          ...{ width: '100%', maxWidth: 640, height: 300, colorScheme: 'light' },
          ...{ border: '1px solid var(--mantine-color-default-border)', borderRadius: 8 },
        }}
      />
    </Stack>
  )
}
