import { Code, List, Stack, Text, Title } from '@mantine/core'
import { useLanguage } from '../language.ts'
import type { Topic } from '../parts/help-topic.ts'
import { pages as en } from './en.ts'
import { pages as pl } from './pl.ts'

const pages = { en, pl }

/** Paragraphs apart by an empty line; one that begins with # is a heading, lines that begin with - are a list. */
export default function HelpPage({ topic }: { topic: Topic }) {
  const language = useLanguage()
  const blocks = pages[language][topic].trim().split(/\n{2,}/)
  return (
    <Stack gap="sm">
      {blocks.map((block) => (
        <Block key={block} text={block} />
      ))}
    </Stack>
  )
}

function Block({ text }: { text: string }) {
  if (text.startsWith('# ')) {
    return (
      <Title order={3} size="h3">
        {text.slice(2)}
      </Title>
    )
  }
  if (text.startsWith('- ')) {
    return (
      <List size="sm" spacing={6}>
        {text.split('\n').map((line) => (
          <List.Item key={line}>
            <Line text={line.slice(2)} />
          </List.Item>
        ))}
      </List>
    )
  }
  return (
    <Text size="sm">
      <Line text={text.replaceAll('\n', ' ')} />
    </Text>
  )
}

/** `code` and **what matters**. */
function Line({ text }: { text: string }) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have their places.
    if (part.startsWith('`')) return <Code key={index}>{part.slice(1, -1)}</Code>
    // biome-ignore lint/suspicious/noArrayIndexKey: the same.
    if (part.startsWith('**')) return <b key={index}>{part.slice(2, -2)}</b>
    return part
  })
}
