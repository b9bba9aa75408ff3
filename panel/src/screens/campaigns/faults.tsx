import { Code, List, Text } from '@mantine/core'

/** Every fault of a campaign's settings with its path, as `campaign apply` would name it. */
export function Faults({ faults }: { faults: { path: string; message: string }[] }) {
  return (
    <List size="sm">
      {faults.map(({ path, message }) => (
        <List.Item key={`${path} ${message}`}>
          <Code>{path}</Code>{' '}
          <Text span size="sm" lang="en">
            {message}
          </Text>
        </List.Item>
      ))}
    </List>
  )
}
