import { Alert, Button, Code, FileButton, List, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useSend } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { stayed } from '../../../leaving.ts'
import { Failure } from '../../../parts/failure.tsx'
import { useSession } from '../../../session.ts'
import { faultInWords } from '../fault-words.ts'
import type { Whole } from '../use-campaign.ts'
import { draftOf } from './draft-of.ts'
import { words } from './words.ts'

/** Makes a draft of a file that was exported here or anywhere else. */
export function ImportButton() {
  const text = useWords(words)
  const { suspended } = useSession().account
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open} disabled={suspended}>
        {text.import}
      </Button>
      <Modal opened={isOpen} onClose={close} title={text.import} centered>
        <ImportForm />
      </Modal>
    </>
  )
}

function ImportForm() {
  const text = useWords(words)
  const language = useLanguage()
  const [, go] = useLocation()
  const send = useSend('POST /campaigns')
  const [isJson, setIsJson] = useState(true)
  const reset = useRef<() => void>(null)
  const take = async (file: File | null) => {
    if (file === null) return
    const isHere = stayed()
    // Browsers do not tell that the same file was chosen again.
    reset.current?.()
    send.reset()
    const settings = draftOf(parse(await file.text().catch(() => '')))
    setIsJson(settings !== undefined)
    if (settings === undefined) return
    // Who has closed the dialog meanwhile stays where they are, too.
    const onSuccess = (made: Whole) => isHere() && go(`/campaigns/${made.settings.id}/rules`)
    send.mutate({ body: { settings } }, { onSuccess })
  }
  return (
    <Stack>
      <Text size="sm">{text.importText}</Text>
      {!isJson && (
        <Alert color="red" variant="outline" role="alert">
          {text.noCampaign}
        </Alert>
      )}
      <Failure of={{ error: send.error }} invalid={text.fileWrong} />
      {send.error !== null && (
        <List size="sm">
          {send.error.faults.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              <Code>{path}</Code> {faultInWords(language, message)}
            </List.Item>
          ))}
        </List>
      )}
      <FileButton onChange={take} resetRef={reset} accept="application/json,.json">
        {(props) => (
          <Button {...props} data-autofocus loading={send.isPending}>
            {text.import}
          </Button>
        )}
      </FileButton>
    </Stack>
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
