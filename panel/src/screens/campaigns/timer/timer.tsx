import '../rules/rules.css'
import { Button, Checkbox, ColorInput, Group, NumberInput, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, type ReactNode, useId, useMemo, useState } from 'react'
import { type AnswerOf, useAsk } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import type { PartProps } from '../campaign.tsx'
import { Behind } from '../clash.tsx'
import { faultInWords } from '../fault-words.ts'
import { Faults, LintFindings } from '../rules/lint.tsx'
import type { LintFinding } from '../rules/lint-words.ts'
import { keepUnsaved, useUnsaved } from '../unsaved.ts'
import { useSaveCampaign } from '../use-campaign.ts'
import { type Form, useEdited } from '../use-edited.ts'
import { MailHtml } from './mail-html.tsx'
import { Picture, usePicture } from './picture.tsx'
import { words } from './words.ts'

type Fault = { path: string; message: string }
export type Style = AnswerOf<'GET /timer-styles'>['usual']

export default function TimerPart({ read }: PartProps) {
  const styles = useAsk('GET /timer-styles', {}, { staleMs: Number.POSITIVE_INFINITY })
  const isUnsaved = useUnsaved(read.settings.id, 'timer') !== undefined
  if (styles.isError) return <Failure of={styles} />
  if (styles.isPending) return <Waiting />
  const { fonts, usual } = styles.data
  // Where somebody else removed it meanwhile, what was changed here is not thrown away.
  if (read.settings.mailTimer === null && !isUnsaved) return <NoTimer read={read} />
  return <Timer read={read} fonts={fonts} usual={usual} />
}

function NoTimer({ read }: PartProps) {
  const text = useWords(words)
  const { save, isPending, error } = useSaveCampaign(read)
  return (
    <Empty text={text.none}>
      <Failure of={{ error }} />
      <Button loading={isPending} onClick={() => save({ mailTimer: {} }).catch(() => {})}>
        {text.add}
      </Button>
    </Empty>
  )
}

/** No timer at all is another state than the usual one, though both would be drawn alike. */
function formOf(usual: Style): Form<Style & { isNone?: true }> {
  return {
    part: 'timer',
    draftOf: ({ mailTimer }) => ({ ...usual, ...(mailTimer ?? { isNone: true }) }) as Style,
    settingsOf: ({ isNone, ...style }) => ({ mailTimer: isNone ? null : style }),
  }
}

function Timer({ read, fonts, usual }: PartProps & { fonts: string[]; usual: Style }) {
  const text = useWords(words)
  const form = useMemo(() => formOf(usual), [usual])
  const edited = useEdited(read, form)
  const { draft: style, error, isChanged, isPending } = edited
  const picture = usePicture(style)
  const faults = [...picture.faults, ...(error?.code === 'INVALID' ? error.faults : [])]
  const [isSaved, setIsSaved] = useState(false)
  const put = (changes: Partial<Style>) => {
    setIsSaved(false)
    edited.change({ ...style, ...changes })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    edited.save().then(
      () => setIsSaved(true),
      () => {},
    )
  }
  return (
    <Stack gap="xl">
      <Picture style={style} of={picture} />
      <form onSubmit={submit}>
        <Stack>
          <Title order={2} size="h3">
            {text.style}
          </Title>
          <StyleFields style={style} fonts={fonts} onChange={put} {...{ faults, findings: picture.findings }} />
          <Behind of={edited} />
          <Group>
            <Button type="submit" disabled={!isChanged} loading={isPending}>
              {text.save}
            </Button>
            {isChanged && (
              <Button variant="subtle" onClick={edited.discard}>
                {text.discard}
              </Button>
            )}
            <Remove read={read} />
            <Text size="sm" c="dimmed" role="status">
              {isChanged ? text.unsaved : isSaved ? text.saved : ''}
            </Text>
          </Group>
        </Stack>
      </form>
      <MailHtml read={read} />
    </Stack>
  )
}

function Remove({ read }: PartProps) {
  const text = useWords(words)
  const { save, isPending, error } = useSaveCampaign(read)
  const [isAsked, { open, close }] = useDisclosure(false)
  const remove = () =>
    save({ mailTimer: null }).then(
      () => keepUnsaved(read.settings.id, 'timer', undefined),
      () => {},
    )
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {text.remove}
      </Button>
      <Confirm
        opened={isAsked}
        onClose={close}
        title={text.removeTitle}
        text={text.removeText}
        action={text.remove}
        isDangerous
        {...{ isPending, error }}
        onConfirm={remove}
      />
    </>
  )
}

type FieldsProps = {
  style: Style
  fonts: string[]
  onChange(changes: Partial<Style>): void
  faults: Fault[]
  findings: LintFinding[]
}

const colours = ['background', 'box', 'digits', 'labels'] as const
const sizes = [
  ['width', 200, 600, 4],
  ['height', 50, 200, 1],
  ['cornerRadius', 0, 40, 1],
] as const

function StyleFields({ style, fonts, onChange, faults, findings }: FieldsProps) {
  const text = useWords(words)
  const language = useLanguage()
  const inWords = ([fault]: Fault[]) => fault && (faultInWords(language, fault.message) ?? fault.message)
  const beside = (name: keyof Style) => findings.filter(({ path }) => path === name)
  const wrong = (name: keyof Style | '') => faults.filter(({ path }) => path.replace(/^mailTimer\.?/, '') === name)
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {colours.map((name) => (
          <Judged key={name} findings={beside(name)}>
            <ColorInput
              label={text.colours[name]}
              format="hex"
              value={style[name]}
              // What is no colour stays to be corrected.
              fixOnBlur={false}
              error={inWords(wrong(name))}
              withEyeDropper={false}
              onChange={(value) => onChange({ [name]: value })}
            />
          </Judged>
        ))}
        <Select
          label={text.font}
          data={fonts.map((value) => ({ value, label: fontName(value) }))}
          value={style.font}
          allowDeselect={false}
          onChange={(value) => onChange({ font: value as Style['font'] })}
        />
        {sizes.map(([name, min, max, step]) => (
          <Judged key={name} findings={beside(name)}>
            <NumberInput
              label={text[name]}
              suffix={` ${text.points}`}
              {...{ min, max, step }}
              allowDecimal={false}
              clampBehavior="blur"
              value={style[name]}
              error={inWords(wrong(name))}
              onChange={(value) => onChange({ [name]: Number(value) })}
            />
          </Judged>
        ))}
        <Checkbox
          label={text.showLabels}
          checked={style.showLabels}
          onChange={(event) => onChange({ showLabels: event.currentTarget.checked })}
        />
        <Checkbox
          label={text.fine}
          checked={style.pixelsPerPoint === 2}
          onChange={(event) => onChange({ pixelsPerPoint: event.currentTarget.checked ? 2 : 1 })}
        />
      </SimpleGrid>
      <Faults of={wrong('')} />
    </>
  )
}

/** A field, and below it what may be unexpected about it. */
function Judged({ findings, children }: { findings: LintFinding[]; children: ReactNode }) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would want a legend, and is read as a form of its own.
    <div role="group" aria-describedby={findings.length > 0 ? id : undefined}>
      {children}
      <Stack gap={6} mt={findings.length > 0 ? 6 : 0} id={id}>
        <LintFindings of={findings} />
      </Stack>
    </div>
  )
}

function fontName(font: string): string {
  return font.replace(/(^|-)(\w)/g, (_, dash, letter) => `${dash === '' ? '' : ' '}${letter.toUpperCase()}`)
}
