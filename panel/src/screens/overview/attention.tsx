import { Anchor, List, Paper, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { AnswerOf } from '../../api.ts'
import { useWords } from '../../language.ts'
import { TimesIn } from '../../parts/time-text.tsx'
import { useMay } from '../../session.ts'
import { words } from './words.ts'

export type Overview = AnswerOf<'GET /overview'>
type Found = Overview['attention'][number]
type What = Found['what']

/** Where each thing is put right. */
const places = {
  NO_KEY: () => '/integrations',
  KEY_ENDS: () => '/integrations',
  TOOLS_OFF: () => null,
  WEBHOOK_FAILS: (id: number | null) => `/integrations/webhooks?webhook=${id}`,
  WEBHOOK_PAUSED: (id: number | null) => `/integrations/webhooks?webhook=${id}`,
  NO_PAGE: (id: number | null) => `/campaigns/${id}/pages`,
  WIDGET_NEVER_SEEN: (id: number | null) => `/campaigns/${id}/pages`,
  OVER: (id: number | null) => `/campaigns/${id}/rules`,
  NO_DEADLINE: (id: number | null) => `/campaigns/${id}/rules`,
} satisfies Record<What, (id: number | null) => string | null>

/** What the customer would want to fix: one line for what is alike. */
export function Attentions({ overview: { attention, campaigns } }: { overview: Overview }) {
  const text = useWords(words)
  const groups = Map.groupBy(attention, ({ what, id }) => (what in text.many ? what : `${what} ${id}`))
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {text.attention}
      </Title>
      {attention.length === 0 && <Text size="sm">{text.allWell}</Text>}
      <List size="sm" spacing={6}>
        {[...groups].map(([key, alike]) => (
          <List.Item
            key={key}
            // What opens has a mark of its own.
            {...(alike.length > 1 && { style: { listStyle: 'none' } })}
            styles={{ itemWrapper: { display: 'inline' }, itemLabel: { display: 'inline' } }}
          >
            {alike.length === 1 ? <One of={alike[0] as Found} /> : <Many of={alike} />}
          </List.Item>
        ))}
      </List>
      {campaigns.looked < campaigns.published && (
        <Text size="xs" c="dimmed" mt="xs">
          {text.looked(campaigns.looked)}
        </Text>
      )}
    </Paper>
  )
}

function One({ of: { what, id, name, until } }: { of: Found }) {
  const text = useWords(words)
  // Only owners may put these right: nobody else is told how.
  const isOwner = useMay('owner')
  const wordsOf = (when: string) => {
    const said = what === 'KEY_ENDS' ? text.what[what](when) : text.what[what]
    return isOwner && what in text.todo ? `${said} ${text.todo[what as keyof typeof text.todo]}` : said
  }
  return (
    <>
      <Place to={places[what](id)} text={name ?? wordsOf('')} />{' '}
      {name !== null && <TimesIn at={until === null ? [] : [until]} say={(when = '') => wordsOf(when)} />}
    </>
  )
}

/** Only of campaigns there are several alike. */
function Many({ of: alike }: { of: readonly Found[] }) {
  const { many } = useWords(words)
  const [{ what }] = alike as [Found]
  return (
    <details style={{ display: 'inline-block', verticalAlign: 'top' }}>
      <summary>{many[what as keyof typeof many](alike.length)}</summary>
      <List size="sm" mt={4}>
        {alike.map(({ id, name }) => (
          <List.Item key={id}>
            <Place to={places[what](id)} text={name ?? ''} />
          </List.Item>
        ))}
      </List>
    </details>
  )
}

function Place({ to, text }: { to: string | null; text: string }) {
  if (to === null) return <span>{text}</span>
  return (
    <Anchor component={Link} href={to} size="sm" underline="always" style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Anchor>
  )
}
