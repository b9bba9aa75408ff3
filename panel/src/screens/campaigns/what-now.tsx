import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useAsk, useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { RoleNote } from '../../parts/role-note.tsx'
import { useMay, useSession } from '../../session.ts'
import { FreshKeyDialog, freshKey } from '../integrations/keys/fresh-key.tsx'
import { widgetSnippet } from './pages/widget-html.ts'
import { words } from './words.ts'

type Props = { campaignId: number; name: string; opened: boolean; onClose(): void }

/** What a published campaign needs outside the panel: the snippet on a page, a key for programs, the mail. */
export function WhatNow({ campaignId, name, opened, onClose }: Props) {
  const text = useWords(words)
  const { publicUrl } = useSession()
  return (
    <>
      <Modal opened={opened} onClose={onClose} title={text.published} size="lg" returnFocus={false}>
        <Stack gap="lg">
          <Step title={text.snippetStep}>
            <CopyBlock name={text.snippetStep} text={widgetSnippet(publicUrl, campaignId)} />
          </Step>
          <Step title={text.keyStep}>
            <KeyStep name={name} />
          </Step>
          <Step title={text.mailStep}>
            <Text size="sm">{text.mailText}</Text>
            <Button component={Link} href={`/campaigns/${campaignId}/timer`} variant="default" onClick={onClose}>
              {text.toMail}
            </Button>
          </Step>
          <Group justify="end">
            <Button onClick={onClose}>{text.done}</Button>
          </Group>
        </Stack>
      </Modal>
      <FreshKeyDialog />
    </>
  )
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" align="start">
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

/** The first key takes the campaign's name; it can be renamed under Integrations. */
function KeyStep({ name }: { name: string }) {
  const text = useWords(words)
  const { account } = useSession()
  const mayMake = useMay('owner')
  const keys = useAsk('GET /keys', {})
  const send = useSend('POST /keys')
  const make = async () => freshKey.set(await send.mutateAsync({ body: { name } }))
  const hasKey = keys.data !== undefined && keys.data.keys.length > 0
  return (
    <>
      <Text size="sm">{hasKey ? text.hasKey : text.keyText}</Text>
      <Failure of={{ error: send.error }} />
      {hasKey ? (
        <Button component={Link} href="/integrations" variant="default">
          {text.toKeys}
        </Button>
      ) : mayMake ? (
        <Button
          variant="default"
          loading={send.isPending}
          disabled={keys.isPending || account.suspended}
          onClick={() => make().catch(() => {})}
        >
          {text.makeKey}
        </Button>
      ) : (
        <RoleNote needed="owner">{text.onlyOwnersKey}</RoleNote>
      )}
    </>
  )
}
