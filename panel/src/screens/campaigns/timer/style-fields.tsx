import '../rules/rules.css'
import { Checkbox, ColorInput, NativeSelect, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { useLanguage, useWords } from '../../../language.ts'
import { languageName, type MailLanguage } from '../../../parts/language-name.ts'
import { faultInWords } from '../fault-words.ts'
import { Faults, LintFindings } from '../rules/lint.tsx'
import type { LintFinding } from '../rules/lint-words.ts'
import { dressedAs, type Style, type Styles } from './usual-style.ts'
import { words } from './words.ts'

type Fault = { path: string; message: string }

type FieldsProps = {
  style: Style
  styles: Styles
  /** Of the mail. */
  language: MailLanguage
  onChange(changes: Partial<Style>): void
  faults: Fault[]
  findings: LintFinding[]
}

type Name = keyof Style | `labelTexts.${Style['units'][number]}` | 'whenOver.text'
/** What the service says of one field. */
type Beside = { findings: LintFinding[]; error: string | undefined }
type GroupProps = FieldsProps & { beside(name: Name): Beside }

const colours = ['box', 'digits', 'labels'] as const
const sizes = [
  ['width', 200, 600],
  ['height', 50, 200],
  ['cornerRadius', 0, 40],
] as const
/** Left empty, they are what suits the picture. */
const ownSizes = [
  ['gap', 0, 40],
  ['digitSize', 10, 160],
  ['labelSize', 6, 40],
] as const
const units = ['days', 'hours', 'minutes', 'seconds'] as const
/** The runs of neighbours, but for the seconds alone. */
const runs = units
  .flatMap((_, from) => units.slice(from).map((__, count) => units.slice(from, from + count + 1)))
  .filter((run) => run.join() !== 'seconds')
const ends = ['zeros', 'text', 'nothing'] as const
const columns = { base: 1, xs: 2, md: 4 }

/** Every setting of a timer, and beside it what is wrong with it or hard to see. */
export function StyleFields(props: FieldsProps) {
  const reader = useLanguage()
  const of = (path: string) => path.replace(/^mailTimer\.?/, '')
  const beside = (name: Name): Beside => {
    const fault = props.faults.find(({ path }) => of(path) === name)
    return {
      findings: props.findings.filter(({ path }) => path === name),
      error: fault && faultInWords(reader, fault.message),
    }
  }
  const group = { ...props, beside }
  return (
    <Stack>
      <Look {...group} />
      <Colours {...group} />
      <Sizes {...group} />
      <Labels {...group} />
      <Faults of={props.faults.filter(({ path }) => of(path) === '')} />
    </Stack>
  )
}

function Look({ style, styles, language, onChange, beside }: GroupProps) {
  const text = useWords(words)
  const reader = useLanguage()
  const fonts = styles.fonts.map((font) => ({ ...font, hasLetters: font.languages.includes(language) }))
  return (
    // As wide as all four units are: a list cuts what it has no room for.
    <SimpleGrid minColWidth="min(100%, 15.75rem)">
      <NativeSelect
        label={text.preset}
        data={styles.presets.map(({ preset }) => ({ value: preset, label: text.presets[preset] }))}
        value={style.preset}
        onChange={(event) =>
          onChange(dressedAs(styles, style, { preset: event.currentTarget.value as Style['preset'] }))
        }
      />
      <Select
        label={text.font}
        // One that lacks letters is shown where it was chosen before, and cannot be chosen.
        data={fonts
          .filter(({ name, hasLetters }) => hasLetters || name === style.font)
          .map(({ name, hasLetters }) => ({ value: name, label: fontName(name), disabled: !hasLetters }))}
        value={style.font}
        allowDeselect={false}
        {...(fonts.some(({ name, hasLetters }) => name === style.font && !hasLetters) && {
          description: text.lacksLetters(languageName(reader, language)),
          inputWrapperOrder: ['label', 'input', 'description', 'error'],
        })}
        error={beside('font').error}
        onChange={(value) => onChange({ font: value as Style['font'] })}
      />
      <NativeSelect
        label={text.units}
        data={runs.map((run) => ({ value: run.join(), label: run.map((unit) => text.unitNames[unit]).join(', ') }))}
        value={style.units.join()}
        error={beside('units').error}
        onChange={(event) => {
          const run = runs.find((one) => one.join() === event.currentTarget.value)
          if (run !== undefined) onChange({ units: run })
        }}
      />
      <WhenOver {...{ style, onChange, beside }} />
    </SimpleGrid>
  )
}

function WhenOver({ style, onChange, beside }: Pick<GroupProps, 'style' | 'onChange' | 'beside'>) {
  const text = useWords(words)
  const { whenOver } = style
  const choose = (show: (typeof ends)[number]) =>
    onChange({ whenOver: show === 'text' ? { show, text: text.overText } : { show } })
  return (
    <Stack gap="xs">
      <NativeSelect
        label={text.whenOver}
        data={ends.map((value) => ({ value, label: text.ends[value] }))}
        value={whenOver.show}
        onChange={(event) => choose(event.currentTarget.value as (typeof ends)[number])}
      />
      {whenOver.show === 'text' && (
        <TextInput
          aria-label={text.ends.text}
          maxLength={60}
          value={whenOver.text}
          error={beside('whenOver.text').error}
          onChange={(event) => onChange({ whenOver: { show: 'text', text: event.currentTarget.value } })}
        />
      )}
    </Stack>
  )
}

function Colours({ style, styles, onChange, beside }: GroupProps) {
  const text = useWords(words)
  const isClear = style.background === 'transparent'
  const look = {
    format: 'hex',
    // What is no colour stays to be corrected.
    fixOnBlur: false,
    withEyeDropper: false,
  } as const
  const { background } = styles.presets[0] as Style
  return (
    <SimpleGrid cols={columns}>
      <Stack gap="xs">
        <ColorInput
          label={text.background}
          {...look}
          value={isClear ? '' : style.background}
          placeholder={isClear ? text.clear : ''}
          disabled={isClear}
          error={beside('background').error}
          onChange={(value) => onChange({ background: value as Style['background'] })}
        />
        <Checkbox
          label={text.transparent}
          checked={isClear}
          disabled={!styles.mayBeTransparent.includes(style.preset)}
          onChange={(event) =>
            onChange(dressedAs(styles, style, { background: event.currentTarget.checked ? 'transparent' : background }))
          }
        />
      </Stack>
      {colours.map((name) => (
        <Judged key={name} findings={beside(name).findings}>
          <ColorInput
            label={text.colours[name]}
            {...look}
            value={style[name]}
            error={beside(name).error}
            onChange={(value) => onChange({ [name]: value })}
          />
        </Judged>
      ))}
    </SimpleGrid>
  )
}

function Sizes({ style, onChange, beside }: GroupProps) {
  const text = useWords(words)
  const unit = { suffix: ` ${text.points}`, allowDecimal: false, clampBehavior: 'blur' } as const
  const widthStep = style.units.length === 3 ? 12 : 4
  return (
    <SimpleGrid cols={columns}>
      {sizes.map(([name, min, max]) => (
        <Judged key={name} findings={beside(name).findings}>
          <NumberInput
            label={text[name]}
            {...{ ...unit, min, max, step: name === 'width' ? widthStep : 1 }}
            value={style[name]}
            error={beside(name).error}
            // Empty while another number is typed: a zero in its place would stand behind what is typed.
            onChange={(value) => onChange({ [name]: value })}
          />
        </Judged>
      ))}
      {ownSizes.map(([name, min, max]) => (
        <Judged key={name} findings={beside(name).findings}>
          <NumberInput
            label={text[name]}
            placeholder={text.suits}
            {...{ ...unit, min, max }}
            value={style[name] ?? ''}
            error={beside(name).error}
            onChange={(value) => onChange({ [name]: value === '' ? null : Number(value) })}
          />
        </Judged>
      ))}
      <Checkbox
        label={text.fine}
        // Beside the field and not its label.
        pt={{ xs: 30 }}
        checked={style.pixelsPerPoint === 2}
        onChange={(event) => onChange({ pixelsPerPoint: event.currentTarget.checked ? 2 : 1 })}
      />
    </SimpleGrid>
  )
}

function Labels({ style, onChange, beside }: GroupProps) {
  const text = useWords(words)
  const put = (unit: (typeof units)[number], value: string) => {
    const { [unit]: _, ...others } = style.labelTexts
    onChange({ labelTexts: value === '' ? others : { ...others, [unit]: value } })
  }
  // A text that is wrong is refused where it is not shown as well: its field is there until it is right.
  const isNeeded = (unit: (typeof units)[number]) =>
    (style.showLabels && style.units.includes(unit)) || beside(`labelTexts.${unit}`).error !== undefined
  const fields = units.filter(isNeeded)
  return (
    <Stack>
      <Checkbox
        label={text.showLabels}
        checked={style.showLabels}
        onChange={(event) => onChange({ showLabels: event.currentTarget.checked })}
      />
      {style.showLabels && (
        <Checkbox
          label={text.uppercase}
          checked={style.uppercase}
          onChange={(event) => onChange({ uppercase: event.currentTarget.checked })}
        />
      )}
      {fields.length > 0 && (
        <Judged findings={beside('labelTexts').findings}>
          <SimpleGrid cols={columns}>
            {fields.map((unit) => (
              <TextInput
                key={unit}
                label={text.ownLabel(text.unitNames[unit])}
                placeholder={text.inWords}
                maxLength={20}
                value={style.labelTexts[unit] ?? ''}
                error={beside(`labelTexts.${unit}`).error}
                onChange={(event) => put(unit, event.currentTarget.value)}
              />
            ))}
          </SimpleGrid>
        </Judged>
      )}
    </Stack>
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
