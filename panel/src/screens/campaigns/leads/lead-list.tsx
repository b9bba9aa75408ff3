import { Anchor, Badge, Box, Checkbox, Paper } from '@mantine/core'
import { Link } from 'wouter'
import { useWords } from '../../../language.ts'
import { rowMark } from '../../../parts/next-row.ts'
import { Rows } from '../../../parts/rows.tsx'
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

export function LeadList({ leads, isOld, ...rest }: Props) {
  const { chosen, onChoose } = rest
  const { list, columns } = useWords(words)
  const may = useMay('member')
  return (
    <Paper withBorder className={isOld ? classes.old : undefined}>
      <Rows
        label={list}
        columns={[columns.email, columns.state, columns.deadline, columns.registered, columns.attempt]}
        all={may && <ChooseAll {...{ leads, chosen, onChoose }} />}
      >
        {leads.map((lead) => (
          <Row key={lead.ref} lead={lead} {...rest} />
        ))}
      </Rows>
    </Paper>
  )
}

function ChooseAll({ leads, chosen, onChoose }: Pick<Props, 'leads' | 'chosen' | 'onChoose'>) {
  const text = useWords(words)
  const here = leads.map(({ ref }) => ref)
  const elsewhere = chosen.filter((ref) => !here.includes(ref))
  const areAll = here.every((ref) => chosen.includes(ref))
  return (
    <Checkbox
      aria-label={text.chooseAll}
      label={text.chooseAll}
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

function Row(props: RowProps) {
  const { lead, settings, query } = props
  const { columns } = useWords(words)
  const may = useMay('member')
  return (
    <tr {...rowMark('leads', lead.ref)}>
      {may && (
        <td className="choose">
          <Choose {...props} />
        </td>
      )}
      <td className="breaks">
        <Address {...{ lead, settings, query }} />
      </td>
      <td data-label={columns.state}>
        <StateBadge state={lead.state} />
      </td>
      <td data-label={columns.deadline}>
        {/* A long one leaves addresses their line. */}
        <Box maw={260}>
          <Deadline lead={lead} settings={settings} />
        </Box>
      </td>
      <td data-label={columns.registered}>
        <TimeText at={lead.registeredAt} timeZone={settings.timeZone} />
      </td>
      <td className="absent">{lead.attempt}</td>
    </tr>
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
