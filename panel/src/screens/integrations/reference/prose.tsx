import { Code } from '@mantine/core'
import { useLanguage } from '../../../language.ts'
import { polish } from './polish.ts'

/** A text in which what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <Code key={index} fz="inherit" style={{ overflowWrap: 'anywhere' }}>
        {part}
      </Code>
    ),
  )
}

/** Says a text of the description, which is written in English, in the reader's language. */
export function useDescribed(): (text: string) => string {
  const language = useLanguage()
  return (text) => (language === 'pl' ? (polish[text] ?? text) : text)
}
