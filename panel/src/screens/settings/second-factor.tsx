import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type AnswerOf, useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { useStayHere } from '../../leaving.ts'
import { CodeInput } from '../../parts/code-input.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { focusNextRow, rowMark } from '../../parts/next-row.ts'
import { Password } from '../../parts/password.tsx'
import { toast } from '../../parts/toast.tsx'
import { useSession } from '../../session.ts'
import { QrCode } from './qr.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { words } from './security-words.ts'

type Doing = 'switchOn' | 'switchOff' | 'newCodes'

export function SecondFactor({ factor }: { factor: AnswerOf<'GET /factor'> }) {
  const text = useWords(words)
  const [isOpen, setOpen] = useState(false)
  const [doing, setDoing] = useState<Doing>('switchOn')
  const [codes, setCodes] = useState<string[]>()
  const [isMaking, setMaking] = useState(false)
  useStayHere(isMaking || (isOpen && codes !== undefined))
  const open = (next: Doing) => {
    setDoing(next)
    setCodes(undefined)
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    // The button that opened the dialog may be gone by now.
    focusNextRow('factor', 'state')()
  }
  // Also where the dialog was closed meanwhile: they are seen this once.
  const show = async (making: Promise<{ recoveryCodes: string[] }>) => {
    setMaking(true)
    try {
      setCodes((await making).recoveryCodes)
      setOpen(true)
    } finally {
      setMaking(false)
    }
  }
  const title = { switchOn: text.switchOnTitle, switchOff: text.switchOffTitle, newCodes: text.newCodesTitle }
  return (
    <Stack align="start">
      <Text size="sm" c="dimmed">
        {text.factorText}
      </Text>
      <Text role="status">{factor.isOn ? text.isOn(factor.recoveryCodesLeft) : text.isOff}</Text>
      <Group gap="sm" {...rowMark('factor', 'state')}>
        {(factor.isOn ? (['newCodes', 'switchOff'] as const) : (['switchOn'] as const)).map((name) => (
          <Button key={name} variant={factor.isOn ? 'default' : 'filled'} onClick={() => open(name)}>
            {text[name]}
          </Button>
        ))}
      </Group>
      <Modal
        opened={isOpen}
        onClose={close}
        title={codes === undefined ? title[doing] : text.recoveryTitle}
        // Codes are left by the button that says that they are kept.
        withCloseButton={codes === undefined}
        closeOnClickOutside={false}
        closeOnEscape={codes === undefined}
        centered
      >
        {codes !== undefined && <RecoveryCodes codes={codes} onDone={close} />}
        {codes === undefined && doing === 'switchOn' && <SwitchOn onClose={close} onMake={show} />}
        {codes === undefined && doing === 'newCodes' && <NewCodes onClose={close} onMake={show} />}
        {codes === undefined && doing === 'switchOff' && <SwitchOff onClose={close} />}
      </Modal>
    </Stack>
  )
}

type Dialog = { onClose(): void; onMake(making: Promise<{ recoveryCodes: string[] }>): Promise<void> }

function SwitchOn({ onClose, onMake }: Dialog) {
  const text = useWords(words)
  const { user } = useSession()
  const send = useSend('POST /factor/offer')
  const [password, setPassword] = useState('')
  const isWrong = send.error?.code === 'WRONG_PASSWORD'
  if (send.data !== undefined) return <FirstCode offer={send.data} onClose={onClose} onMake={onMake} />
  return (
    <DialogForm
      onClose={onClose}
      send={isWrong ? { ...send, error: null } : send}
      submit={async () => {
        await send.mutateAsync({ body: { password } })
      }}
      done={text.goOn}
    >
      <Text size="sm">{text.passwordText}</Text>
      <input type="hidden" autoComplete="username" value={user.email} readOnly />
      <Password
        label={text.password}
        required
        data-autofocus
        autoComplete="current-password"
        value={password}
        error={isWrong ? text.wrongPassword : undefined}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </DialogForm>
  )
}

/** Nothing holds until the app has shown a code. */
function FirstCode({ offer, onClose, onMake }: Dialog & { offer: AnswerOf<'POST /factor/offer'> }) {
  const text = useWords(words)
  const send = useSend('POST /factor')
  const [code, setCode] = useState('')
  return (
    <DialogForm
      onClose={onClose}
      send={send}
      submit={() => onMake(send.mutateAsync({ body: { offer: offer.token, code } }))}
      done={text.switchOn}
    >
      <Text size="sm">{text.scanText}</Text>
      <QrCode text={offer.uri} label={text.qr} />
      <Group gap="sm" wrap="nowrap">
        <Code
          block
          flex={1}
          role="region"
          aria-label={text.key}
          style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}
        >
          {offer.secret}
        </Code>
        <Copy text={offer.secret} name={text.key} />
      </Group>
      <CodeInput label={text.firstCode} value={code} onChange={setCode} failed={send.error} />
      <Text size="sm" c="dimmed">
        {text.signsOut}
      </Text>
      {send.error?.code === 'LOST' && <Text size="sm">{text.codesLost}</Text>}
    </DialogForm>
  )
}

function NewCodes({ onClose, onMake }: Dialog) {
  const text = useWords(words)
  const send = useSend('POST /factor/recovery-codes')
  const [code, setCode] = useState('')
  const submit = () => onMake(send.mutateAsync({ body: { code } }))
  return (
    <DialogForm onClose={onClose} send={send} submit={submit} done={text.makeCodes}>
      <Text size="sm">{text.newCodesText}</Text>
      <CodeInput label={text.code} description={text.codeHint} value={code} onChange={setCode} failed={send.error} />
      {send.error?.code === 'LOST' && <Text size="sm">{text.codesLost}</Text>}
    </DialogForm>
  )
}

function SwitchOff({ onClose }: { onClose(): void }) {
  const text = useWords(words)
  const send = useSend('POST /factor/off')
  const [code, setCode] = useState('')
  const submit = async () => {
    await send.mutateAsync({ body: { code } })
    toast(text.isOff)
    onClose()
  }
  return (
    <DialogForm onClose={onClose} send={send} submit={submit} done={text.switchOff} isDestructive>
      <Text size="sm">{text.switchOffText}</Text>
      <CodeInput label={text.code} description={text.codeHint} value={code} onChange={setCode} failed={send.error} />
    </DialogForm>
  )
}
