import { Button, Stack, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { useAsk } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import type { MailLanguage } from '../../../parts/language-name.ts'
import { Waiting } from '../../../parts/loaded.tsx'
import { focusNextRow, focusScreen } from '../../../parts/next-row.ts'
import { MemberFields } from '../../../parts/role-note.tsx'
import { useMay, useSession } from '../../../session.ts'
import { Behind } from '../clash.tsx'
import { SaveRow } from '../save-row.tsx'
import { keepUnsaved, useUnsaved } from '../unsaved.ts'
import { type PartProps, useSaveCampaign } from '../use-campaign.ts'
import { type Form, useEdited } from '../use-edited.ts'
import { MailHtml } from './mail-html.tsx'
import { Picture, usePicture } from './picture.tsx'
import { StyleFields } from './style-fields.tsx'
import { type Style, type Styles, usualFor } from './usual-style.ts'
import { words } from './words.ts'

export default function TimerPart({ read }: PartProps) {
  const styles = useAsk('GET /timer-styles', {}, { staleMs: Number.POSITIVE_INFINITY })
  const isUnsaved = useUnsaved(read.settings.id, 'timer') !== undefined
  if (styles.isLoadingError) return <Failure of={styles} />
  if (styles.isPending) return <Waiting />
  // Where somebody else removed it meanwhile, what was changed here is not thrown away.
  if (read.settings.mailTimer === null && !isUnsaved) {
    return (
      <Stack gap="xl">
        <NoTimer read={read} />
        <MailHtml read={read} />
      </Stack>
    )
  }
  return <Timer read={read} styles={styles.data} />
}

function NoTimer({ read }: PartProps) {
  const text = useWords(words)
  const may = useMay('member')
  const { suspended } = useSession().account
  const { save, isPending, error } = useSaveCampaign()
  return (
    <Empty text={may ? `${text.none} ${text.addOne}` : text.none}>
      <Failure of={{ error }} />
      {may && (
        <Button
          disabled={suspended}
          loading={isPending}
          onClick={() => save(read, { mailTimer: {} }).then(focusScreen, () => {})}
        >
          {text.add}
        </Button>
      )}
    </Empty>
  )
}

/** No timer at all is another state than the usual one, though both would be drawn alike. */
function formOf(styles: Styles): Form<Style & { isNone?: true }> {
  return {
    part: 'timer',
    draftOf: ({ mailTimer }) => ({ ...usualFor(styles, mailTimer ?? {}), ...(mailTimer ?? { isNone: true }) }) as Style,
    settingsOf: ({ isNone, ...style }) => ({ mailTimer: isNone ? null : style }),
  }
}

function Timer({ read, styles }: PartProps & { styles: Styles }) {
  const text = useWords(words)
  const form = useMemo(() => formOf(styles), [styles])
  const may = useMay('member')
  const [language, setLanguage] = useState<MailLanguage>(read.settings.language)
  const edited = useEdited(read, form)
  const { draft: style, error } = edited
  const picture = usePicture(style, language)
  const faults = [...picture.faults, ...(error?.code === 'INVALID' ? error.faults : [])]
  const put = (changes: Partial<Style>) => edited.change({ ...style, ...changes })
  return (
    <Stack gap="xl">
      <Picture style={style} of={picture} {...{ language, languages: styles.languages, setLanguage }} />
      <form onSubmit={edited.submit}>
        <Stack>
          <Title order={2} size="h3">
            {text.style}
          </Title>
          <MemberFields>
            <StyleFields {...{ style, styles, language, faults, findings: picture.findings }} onChange={put} />
          </MemberFields>
          <Behind of={edited} />
          <SaveRow of={edited} name={text.save}>
            {may && <Remove read={read} />}
          </SaveRow>
        </Stack>
      </form>
      <MailHtml read={read} />
    </Stack>
  )
}

function Remove({ read }: PartProps) {
  const text = useWords(words)
  const { suspended } = useSession().account
  const { save, isPending, error, reset } = useSaveCampaign()
  const [isAsked, { open, close }] = useDisclosure(false)
  const ask = () => {
    reset()
    open()
  }
  const focusPage = focusNextRow('timers', '')
  const remove = () =>
    save(read, { mailTimer: null }).then(
      () => {
        keepUnsaved(read.settings.id, 'timer', undefined)
        focusPage()
      },
      () => {},
    )
  return (
    <>
      <Button variant="subtle" color="red" disabled={suspended} onClick={ask}>
        {text.remove}
      </Button>
      <Confirm
        opened={isAsked}
        onClose={close}
        title={text.removeTitle}
        text={text.removeText}
        action={text.remove}
        isDangerous
        send={{ isPending, error }}
        onConfirm={remove}
      />
    </>
  )
}
