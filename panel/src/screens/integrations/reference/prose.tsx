import { Code } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLanguage } from '../../../language.ts'
import { polish } from './polish.ts'

/** A text in which what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <Term key={index}>{part}</Term>
    ),
  )
}

/** A name of the API, set off from what is said about it. */
export function Term({ isBold = false, children }: { isBold?: boolean; children: ReactNode }) {
  return (
    <Code
      fz={isBold ? '0.8125rem' : '0.92em'}
      fw={isBold ? 600 : undefined}
      bg="light-dark(var(--mantine-color-gray-2), var(--mantine-color-dark-5))"
      style={{ overflowWrap: 'anywhere' }}
    >
      {children}
    </Code>
  )
}

/** Says a text of the description, which is written in English, in the reader's language. */
export function useDescribed(): (text: string) => string {
  const language = useLanguage()
  return (text) => (language === 'pl' ? (polish[text] ?? text) : text)
}
