// Help stands over the screen that it is about. Its pages come with the panel, and are loaded when first opened.
import { ActionIcon, Anchor, Drawer } from '@mantine/core'
import { lazy, useEffect } from 'react'
import { useLocation } from 'wouter'
import { useWords } from '../language.ts'
import { type Topic, topicOf } from './help-topic.ts'
import { kept } from './listeners.ts'
import { Loaded } from './loaded.tsx'
import { words } from './words.ts'

const HelpPage = lazy(() => import('../help/page.tsx'))

const shown = kept<Topic | null>(null)

/** The page of help of the screen that is open. */
export function HelpButton() {
  const { help } = useWords(words)
  const [location] = useLocation()
  return (
    <ActionIcon variant="default" radius="xl" aria-label={help} onClick={() => shown.set(topicOf(location))}>
      ?
    </ActionIcon>
  )
}

/** `about` tells apart several on one screen, for those who hear them. */
export function HelpLink({ topic, about }: { topic: Topic; about: string }) {
  const { help } = useWords(words)
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      aria-label={`${help}: ${about}`}
      onClick={() => shown.set(topic)}
    >
      {help}
    </Anchor>
  )
}

export function HelpDrawer() {
  const { help } = useWords(words)
  const topic = shown.use()
  const [location] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the browser's Back leaves the screen that it is about.
  useEffect(() => shown.set(null), [location])
  return (
    <Drawer opened={topic !== null} onClose={() => shown.set(null)} title={help}>
      <Loaded>{topic !== null && <HelpPage topic={topic} />}</Loaded>
    </Drawer>
  )
}
