import { Anchor, Badge, Checkbox, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from 'wouter'
import { useWords } from '../../../language.ts'
import { rowMark } from '../../../parts/next-row.ts'
import { TimeText } from '../../../parts/time-text.tsx'
import { useMay } from '../../../session.ts'
import type { Settings } from '../use-campaign.ts'
import classes from './leads.module.css'
import type { Lead, State } from './use-leads.ts'
import { words } from './words.ts'

type Props = {
  leads: Lead[]
  settings: Settings
  isOld: boolean
  /** Of the list's address, which a lead's keeps. */
  query: string
  chosen: string[]
  onChoose(refs: string[]): void
}

type RowProps = Pick<Props, 'settings' | 'query' | 'chosen' | 'onChoose'> & { lead: Lead }

/** A table, or where there is no room for one, a card for each lead. */
export function LeadList({ leads, isOld, ...rest }: Props) {
  const { settings, query, chosen, onChoose } = rest
  const text = useWords(words)
  const may = useMay('member')
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false })
  const className = isOld ? classes.old : undefined
  if (isNarrow) {
    return (
      <Stack gap="xs" className={className}>
        {may && <ChooseAll {...{ leads, chosen, onChoose }} isLabelled />}
        <Stack component="ul" gap="xs" m={0} p={0} aria-label={text.list}>
          {leads.map((lead) => (
            <Card key={lead.ref} lead={lead} {...rest} />
          ))}
        </Stack>
      </Stack>
    )
  }
  const { columns } = text
  return (
    <Paper withBorder className={className}>
      <Table verticalSpacing="sm" aria-label={text.list}>
        <Table.Thead>
          <Table.Tr>
            {may && (
              <Table.Th w={40}>
                <ChooseAll {...{ leads, chosen, onChoose }} />
              </Table.Th>
            )}
            {[columns.email, columns.state, columns.deadline, columns.registered, columns.attempt].map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {leads.map((lead) => (
            <Table.Tr key={lead.ref} {...rowMark('leads', lead.ref)}>
              {may && (
                <Table.Td>
                  <Choose lead={lead} {...rest} />
                </Table.Td>
              )}
              <Table.Td maw={380}>
                <Address lead={lead} {...{ settings, query }} />
              </Table.Td>
              <Table.Td>
                <StateBadge state={lead.state} />
              </Table.Td>
              <Table.Td maw={260}>
                <Deadline lead={lead} settings={settings} />
              </Table.Td>
              <Table.Td>
                <TimeText at={lead.registeredAt} timeZone={settings.timeZone} />
              </Table.Td>
              <Table.Td>{lead.attempt}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

type ChooseAllProps = Pick<Props, 'leads' | 'chosen' | 'onChoose'> & { isLabelled?: boolean }

function ChooseAll({ leads, chosen, onChoose, isLabelled }: ChooseAllProps) {
  const text = useWords(words)
  const here = leads.map(({ ref }) => ref)
  const elsewhere = chosen.filter((ref) => !here.includes(ref))
  const areAll = here.every((ref) => chosen.includes(ref))
  return (
    <Checkbox
      {...(isLabelled ? { label: text.chooseAll, pl: 'sm' } : { 'aria-label': text.chooseAll })}
      checked={areAll}
      indeterminate={elsewhere.length < chosen.length && !areAll}
      onChange={(event) => onChoose(event.currentTarget.checked ? [...elsewhere, ...here] : elsewhere)}
    />
  )
}

function Choose({ lead: { ref, email }, chosen, onChoose }: RowProps) {
  const text = useWords(words)
  const isChosen = chosen.includes(ref)
  return (
    <Checkbox
      aria-label={text.choose(email)}
      checked={isChosen}
      onChange={() => onChoose(isChosen ? chosen.filter((one) => one !== ref) : [...chosen, ref])}
    />
  )
}

function Card(props: RowProps) {
  const { lead, settings, query } = props
  const may = useMay('member')
  const { columns } = useWords(words)
  return (
    <Paper component="li" withBorder p="sm" style={{ listStyle: 'none' }} {...rowMark('leads', lead.ref)}>
      <Stack gap={6}>
        <Group justify="space-between" align="start" gap="sm">
          <Group gap="xs" wrap="nowrap" align="start" flex={1} miw="min(100%, 7rem)">
            {may && <Choose {...props} />}
            <Address {...{ lead, settings, query }} />
          </Group>
          <StateBadge state={lead.state} />
        </Group>
        <Text size="sm" component="div">
          {columns.deadline}: <Deadline lead={lead} settings={settings} />
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {columns.registered}: <TimeText at={lead.registeredAt} timeZone={settings.timeZone} />
        </Text>
      </Stack>
    </Paper>
  )
}

/** Opens the lead by its ref: an address stands in no address of a page. */
function Address({ lead, settings, query }: Pick<RowProps, 'lead' | 'settings' | 'query'>) {
  return (
    <Anchor
      component={Link}
      href={`/campaigns/${settings.id}/leads/${lead.ref}${query}`}
      size="sm"
      fw={500}
      className={classes.address}
    >
      {lead.email}
    </Anchor>
  )
}

const colours: Record<State, string> = { pending: 'gray', scheduled: 'blue', open: 'teal', expired: 'red' }

export function StateBadge({ state }: { state: State }) {
  const text = useWords(words)
  return (
    <Badge color={colours[state]} variant="dot" tt="none" miw="max-content">
      {text.states[state]}
    </Badge>
  )
}

/** The deadline was perhaps not set by hand, but by a purchase, which ends the offer at once. */
export const mayBePurchase = ({ state }: Pick<Lead, 'state'>, { conversion }: Settings): boolean =>
  conversion.closes && state === 'expired'

export function Deadline({ lead, settings }: { lead: Lead; settings: Settings }) {
  const text = useWords(words)
  if (lead.deadline === null) return lead.state === 'pending' ? text.deadlineUnknown : text.noDeadline
  return (
    <>
      <TimeText at={lead.deadline} timeZone={settings.timeZone} />
      {lead.setByHand && ` (${mayBePurchase(lead, settings) ? text.byHandOrPurchase : text.byHand})`}
    </>
  )
}
