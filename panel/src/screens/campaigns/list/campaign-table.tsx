import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { useDeferredValue, useEffect } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, useAsk } from '../../../api.ts'
import { locales, useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { rowMark } from '../../../parts/next-row.ts'
import { Rows } from '../../../parts/rows.tsx'
import { CampaignBadge } from '../campaign-badge.tsx'
import { words as campaignWords } from '../words.ts'
import { CampaignMenu, type Summary } from './campaign-menu.tsx'
import { words } from './words.ts'

/** As high as a desk: what comes after them moves nothing that is seen. */
const firstDrawn = 10
/** Who comes back finds all rows at once: the browser looks for the place where they were when the screen is drawn. */
let wasDrawn = false

type Figures = AnswerOf<'GET /campaign-figures'>['figures'][number]

/** One page of campaigns with their figures; what has to be counted comes a moment later, to its place. */
export function CampaignTable({ campaigns }: { campaigns: Summary[] }) {
  const text = useWords(words)
  const { columns } = text
  const counted = [columns.leads, columns.open, columns.clicks]
  const query = { ids: campaigns.map(({ id }) => id).join(',') }
  const { data, error, isError, refetch } = useAsk('GET /campaign-figures', { query }, { staleMs: 10_000 })
  // What a phone shows stands at once, and can be used while the rest is drawn.
  const rows = useDeferredValue(campaigns, wasDrawn ? campaigns : campaigns.slice(0, firstDrawn))
  useEffect(() => {
    wasDrawn = true
  }, [])
  const language = useLanguage()
  // Made once, not for each row.
  const number = new Intl.NumberFormat(language)
  const day = new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <Stack>
      {data === undefined && <Failure of={{ error, refetch }} />}
      <Paper withBorder>
        <Rows
          label={text.title}
          columns={[columns.name, columns.leads, columns.open, columns.clicks, columns.ends, columns.signUps]}
          numbers={counted}
          actions={columns.actions}
        >
          {rows.map((campaign) => (
            <Row
              key={campaign.id}
              {...{ campaign, number, day }}
              figures={data?.figures.find(({ id }) => id === campaign.id)}
              isKnown={!isError}
            />
          ))}
        </Rows>
      </Paper>
    </Stack>
  )
}

type RowProps = {
  campaign: Summary
  figures: Figures | undefined
  isKnown: boolean
  number: Intl.NumberFormat
  day: Intl.DateTimeFormat
}

function Row({ campaign, figures, isKnown, number, day }: RowProps) {
  const text = useWords(words)
  const { archived } = useWords(campaignWords)
  const { columns } = text
  const { id, name, state, type, isArchived, clicks, endsOn } = campaign
  const none = isKnown ? '…' : '–'
  const counted = (count: number, isAll: boolean) => `${number.format(count)}${isAll ? '' : '+'}`
  return (
    <tr {...rowMark('campaigns', id)}>
      <td className="breaks" style={{ minWidth: 140 }}>
        <Stack gap={4}>
          <Anchor component={Link} href={`/campaigns/${id}`} fw={600}>
            {name}
          </Anchor>
          <Group gap="xs">
            {isArchived ? <Text size="sm">{archived}</Text> : <CampaignBadge state={state} />}
            <Text size="sm" c="dimmed">
              {text.types[type] ?? type} · {text.id} {id}
            </Text>
          </Group>
        </Stack>
      </td>
      <td className="number" data-label={columns.leads}>
        {figures === undefined ? none : counted(figures.leads, figures.isAll)}
      </td>
      <td className="number" data-label={columns.open}>
        {figures === undefined ? none : counted(figures.open.count, figures.open.isAll)}
      </td>
      <td className="number" data-label={columns.clicks}>
        {number.format(clicks)}
      </td>
      <td data-label={columns.ends}>{endsOn === null ? '–' : day.format(new Date(endsOn))}</td>
      <td data-label={columns.signUps}>
        <Sparkline of={campaign.signUps} number={number} />
      </td>
      <td>
        <CampaignMenu campaign={campaign} />
      </td>
    </tr>
  )
}

const [width, height] = [96, 24]

/** Sign-ups by day, with their sum beside them. */
function Sparkline({ of, number }: { of: number[]; number: Intl.NumberFormat }) {
  const text = useWords(words)
  const most = Math.max(1, ...of)
  const total = of.reduce((sum, one) => sum + one, 0)
  const points = of.map((one, index) => {
    const x = (index * width) / (of.length - 1)
    return `${x.toFixed(1)},${(height - 1 - (one * (height - 2)) / most).toFixed(1)}`
  })
  return (
    <Group gap={6} wrap="nowrap">
      <svg width={width} height={height} role="img" aria-label={text.sparkline(total)}>
        <polyline
          points={points.join(' ')}
          fill="none"
          stroke="var(--mantine-primary-color-filled)"
          strokeWidth="1.5"
        />
      </svg>
      <Text size="sm" aria-hidden>
        {number.format(total)}
      </Text>
    </Group>
  )
}
