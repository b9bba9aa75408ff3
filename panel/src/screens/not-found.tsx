import { Button, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useWords } from '../language.ts'
import { Empty } from '../parts/empty.tsx'
import { Screen } from '../parts/screen.tsx'
import { words } from '../parts/words.ts'
import { Door } from './coming-in/door.tsx'

export function NotFoundScreen() {
  const text = useWords(words)
  return (
    <Screen title={text.notFoundTitle}>
      <Empty text={text.notFound}>
        <Button component={Link} href="/">
          {text.toOverview}
        </Button>
      </Empty>
    </Screen>
  )
}

/** The same for who is not signed in. */
export function NowhereScreen() {
  const text = useWords(words)
  return (
    <Door title={text.notFoundTitle}>
      <Text size="sm">{text.notFound}</Text>
      <Button component={Link} href="/">
        {text.toOverview}
      </Button>
    </Door>
  )
}
