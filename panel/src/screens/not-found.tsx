import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { useWords } from '../language.ts'
import { Empty } from '../parts/empty.tsx'
import { Screen } from '../parts/screen.tsx'
import { words } from '../parts/words.ts'

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
