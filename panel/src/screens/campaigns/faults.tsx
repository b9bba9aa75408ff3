import { Code, List } from '@mantine/core'
import { useLanguage } from '../../language.ts'
import { faultInWords } from './fault-words.ts'

/** Every fault of a campaign's settings with its path in the file. */
export function Faults({ faults }: { faults: { path: string; message: string }[] }) {
  const language = useLanguage()
  return (
    <List size="sm">
      {faults.map(({ path, message }) => (
        <List.Item key={`${path} ${message}`}>
          <Code>{path}</Code> {faultInWords(language, message)}
        </List.Item>
      ))}
    </List>
  )
}
