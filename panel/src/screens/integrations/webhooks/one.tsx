import { Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import documentation from '../../../../../docs/webhooks.md?raw'
import { useSend } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { CopyBlock } from '../../../parts/copy.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { focusMade, focusNextRow, rowMark } from '../../../parts/next-row.ts'
import { RowMenu } from '../../../parts/row-menu.tsx'
import { toast } from '../../../parts/toast.tsx'
import { useMay, useSession } from '../../../session.ts'
import { Deliveries, ResultOf } from './deliveries.tsx'
import { type Action, useActions } from './dialogs.tsx'
import { isPaused, labelOf, StateBadge, Trouble, type Webhook, type Webhooks } from './webhook.tsx'
import { words } from './words.ts'

type Props = { of: Webhook; campaigns: Webhooks['campaigns']; act(action: Action): void }

/** One webhook: what it is told, how it does, a test, how to verify what comes, and what was sent. */
export function OneWebhook({ of, campaigns, act }: Props) {
  const text = useWords(words)
  const { account } = useSession()
  const mayTest = useMay('owner')
  const doing = useActions(of, act)
  return (
    <Stack gap="lg">
      <Anchor component={Link} href="/integrations/webhooks" onClick={() => focusMade(String(of.id))} size="sm">
        {text.back}
      </Anchor>
      <Group justify="space-between" align="start" wrap="nowrap" {...rowMark('webhooks', of.id)}>
        <Stack gap={4} align="start" miw={0}>
          <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
            {of.name}
          </Title>
          <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{of.url}</Code>
          <Group gap="sm">
            <StateBadge of={of} />
            <Text size="sm">
              {text.waiting}: {text.counted(of.waiting)}
            </Text>
          </Group>
          <Trouble of={of} />
          {of.givenUp > 0 && <GivenUp of={of} />}
          <Scope of={of} campaigns={campaigns} />
        </Stack>
        <RowMenu label={text.actionsOn(of.name)} disabled={account.suspended} {...doing} />
      </Group>
      {mayTest && <Test of={of} />}
      <Verify />
      <Deliveries of={of} />
    </Stack>
  )
}

function GivenUp({ of }: { of: Webhook }) {
  const text = useWords(words)
  const { account } = useSession()
  const maySend = useMay('owner')
  const send = useSend('POST /webhooks/:endpointId/resend')
  const resend = async () => {
    const focusNext = focusNextRow('webhooks', of.id)
    const { resent } = await send.mutateAsync({ params: { endpointId: of.id }, body: { eventId: null } })
    toast(resent === 0 ? text.noneResent : text.resentAll(resent, isPaused(of)))
    focusNext()
  }
  return (
    <>
      <Group gap="sm">
        <Text size="sm">
          {text.givenUp}: {text.counted(of.givenUp)}
        </Text>
        {maySend && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={account.suspended}
            loading={send.isPending}
            onClick={() => resend().catch(() => {})}
          >
            {text.resendAll}
          </Button>
        )}
      </Group>
      <Failure of={{ error: send.error }} />
    </>
  )
}

function Scope({ of: { kinds, campaignIds }, campaigns }: Pick<Props, 'of' | 'campaigns'>) {
  const text = useWords(words)
  const own = campaigns.filter(({ id }) => campaignIds?.includes(id))
  const names = campaignIds === null ? text.allCampaigns : own.map((one) => labelOf(one, campaigns)).join(', ')
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {text.kinds}: {kinds.map((kind) => text.kind[kind]).join(', ')}
      <br />
      {text.campaigns}: {names || text.noneThere}
    </Text>
  )
}

function Test({ of }: { of: Webhook }) {
  const text = useWords(words)
  const { account } = useSession()
  const send = useSend('POST /webhooks/:endpointId/test')
  return (
    <Group gap="md">
      <Button
        variant="default"
        disabled={account.suspended}
        loading={send.isPending}
        onClick={() => send.mutate({ params: { endpointId: of.id } })}
      >
        {text.test}
      </Button>
      <Text size="sm" role="status">
        {send.data !== undefined && !send.isPending && <ResultOf of={send.data} />}
      </Text>
      <Failure of={{ error: send.error }} />
    </Group>
  )
}

/** The examples of the document, which are tested there. */
function Verify() {
  const text = useWords(words)
  const examples = { Node: 'js', Python: 'python', PHP: 'php' }
  return (
    <details>
      <summary>{text.verify}</summary>
      <Stack gap="sm" mt="sm">
        <Text size="sm">{text.verifyText}</Text>
        {Object.entries(examples).map(([name, fence]) => (
          <Stack key={name} gap={4}>
            <Title order={3} size="h5">
              {name}
            </Title>
            <CopyBlock text={codeIn(fence)} name={text.snippet(name)} />
          </Stack>
        ))}
      </Stack>
    </details>
  )
}

const codeIn = (fence: string) => new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\`$`, 'ms').exec(documentation)?.[1] ?? ''
