// The rules in sentences, one card for each question that they answer.
import { NativeSelect, Radio, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useLanguage, useWords } from '../../../language.ts'
import { AddressInput } from '../../../parts/address-input.tsx'
import { languageName, mailLanguages } from '../../../parts/language-name.ts'
import { Section } from '../../../parts/section.tsx'
import { type Action, type Draft, isPersonal, type Kind, type StartsOn, type Typed, usualOpening } from './draft.ts'
import {
  DatesField,
  LimitField,
  MomentField,
  NumberField,
  PeriodField,
  RecurrenceField,
  TimeField,
  WeekdaysField,
} from './fields.tsx'
import { Sentence, useIsWrong } from './lint.tsx'
import { words } from './words.ts'
import { ZoneField } from './zone-field.tsx'

type Props = { draft: Draft; change(changes: Partial<Draft>): void }

/** Something that may be on, and then has more to say. */
function Option({ label, hint, isOn, onChange, children }: OptionProps) {
  return (
    <Stack gap={8}>
      <Switch
        label={label}
        description={hint}
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {isOn && <div className="within">{children}</div>}
    </Stack>
  )
}

type OptionProps = {
  label: string
  hint?: string
  isOn: boolean
  onChange(isOn: boolean): void
  children?: ReactNode
}

export function BasicsSection({ draft, change }: Props) {
  const text = useWords(words)
  const isWrong = useIsWrong()
  const reader = useLanguage()
  return (
    <Section title={text.basics}>
      <Sentence at={['name']}>
        <TextInput
          className="wide"
          label={text.name}
          description={text.nameHint}
          maxLength={200}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={isWrong('name')}
        />
      </Sentence>
      <Sentence at={['timeZone']}>
        <ZoneField value={draft.timeZone} onChange={(timeZone) => change({ timeZone })} />
      </Sentence>
      <Sentence at={['language']}>
        <Select
          className="wide"
          label={text.language}
          description={text.languageHint}
          data={mailLanguages.map((value) => ({ value, label: languageName(reader, value) }))}
          allowDeselect={false}
          value={draft.language}
          onChange={(language) => language !== null && change({ language: language as Draft['language'] })}
          error={isWrong('language')}
        />
      </Sentence>
    </Section>
  )
}

export function DeadlineSection({ draft, change }: Props) {
  const text = useWords(words)
  const isWrong = useIsWrong()
  const kinds = Object.entries(text.kinds).map(([value, label]) => ({ value, label }))
  const starts = Object.entries(text.starts).map(([value, label]) => ({ value, label }))
  const { kind } = draft
  return (
    <Section title={text.deadline}>
      <Sentence at={['mechanism.startsOn', 'mechanism.deadline.kind']}>
        <span>{text.startsWhen}</span>
        {isPersonal(kind) ? (
          <NativeSelect
            aria-label={text.start}
            data={starts}
            value={draft.startsOn}
            onChange={(event) => change({ startsOn: event.currentTarget.value as StartsOn })}
          />
        ) : (
          <span>{text.startsAlways}</span>
        )}
        <span>{text.andEnds}</span>
        <NativeSelect
          aria-label={text.kind}
          data={kinds}
          value={kind}
          onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
          error={isWrong('mechanism.deadline.kind')}
        />
      </Sentence>
      <KindSentences draft={draft} change={change} />
      {(kind === 'daysAt' || kind === 'next') && <Skips draft={draft} change={change} />}
      <Option label={text.ends} isOn={draft.endsAt !== null} onChange={(isOn) => change({ endsAt: isOn ? '' : null })}>
        <Sentence at={['mechanism.endsAt']}>
          <span>{text.endsAt}</span>
          <MomentField
            label={text.endsAt}
            path="mechanism.endsAt"
            value={draft.endsAt ?? ''}
            onChange={(endsAt) => change({ endsAt })}
          />
        </Sentence>
      </Option>
    </Section>
  )
}

function KindSentences({ draft, change }: Props) {
  const text = useWords(words)
  switch (draft.kind) {
    case 'after':
      return (
        <Sentence at={['mechanism.deadline.period']} hint={text.unitHint}>
          <span>{text.after[0]}</span>
          <PeriodField
            label={text.after[0] as string}
            path="mechanism.deadline.period"
            value={draft.after.period}
            onChange={(period) => change({ after: { period } })}
          />
          <span>{text.after[1]}</span>
        </Sentence>
      )
    case 'daysAt':
      return <DaysAt draft={draft} change={change} />
    case 'next':
      return <Next draft={draft} change={change} />
    case 'fixed':
      return <Fixed draft={draft} change={change} />
    case 'none':
      return <Text size="sm">{draft.endsAt === null ? text.none : text.noneCapped}</Text>
  }
}

function DaysAt({ draft: { daysAt }, change }: Props) {
  const text = useWords(words)
  const put = (changes: Partial<Draft['daysAt']>) => change({ daysAt: { ...daysAt, ...changes } })
  return (
    <Sentence at={['mechanism.deadline.days', 'mechanism.deadline.time']} hint={text.daysAtHint}>
      <span>{text.daysAt.before}</span>
      <NumberField
        label={text.daysAt.label}
        path="mechanism.deadline.days"
        least={0}
        most={3_660}
        value={daysAt.days}
        onChange={(days) => put({ days })}
      />
      <span>{text.daysAt.after(daysAt.days === '' ? 2 : daysAt.days)}</span>
      <TimeField
        label={text.time}
        path="mechanism.deadline.time"
        value={daysAt.time}
        onChange={(time) => put({ time })}
      />
    </Sentence>
  )
}

function Next({ draft: { next }, change }: Props) {
  const text = useWords(words)
  const put = (changes: Partial<Draft['next']>) => change({ next: { ...next, ...changes } })
  const monthHint = (every: string | undefined) => (every === 'month' ? { hint: text.monthHint } : {})
  return (
    <>
      <Sentence at={['mechanism.deadline.closes']} {...monthHint(next.closes.every)}>
        <span>{text.next}</span>
        <RecurrenceField
          label={text.next}
          path="mechanism.deadline.closes"
          value={next.closes}
          onChange={(closes) => put({ closes })}
        />
      </Sentence>
      <Option
        label={text.minLead}
        isOn={next.minLead !== null}
        onChange={(isOn) => put({ minLead: isOn ? 'P1D' : null })}
      >
        <Sentence at={['mechanism.deadline.minLead']}>
          <PeriodField
            label={text.minLead}
            path="mechanism.deadline.minLead"
            value={next.minLead ?? ''}
            onChange={(minLead) => put({ minLead })}
          />
          <span>{text.minLeadAfter}</span>
        </Sentence>
      </Option>
      {next.minLead === null && <Sentence at={['mechanism.deadline.minLead']}>{null}</Sentence>}
      <Option
        label={text.opens}
        hint={text.opensHint}
        isOn={next.opens !== null}
        onChange={(isOn) => put({ opens: isOn ? usualOpening : null })}
      >
        <Sentence at={['mechanism.deadline.opens']} {...monthHint(next.opens?.every)}>
          <span>{text.opensEvery}</span>
          <RecurrenceField
            label={text.opensEvery}
            path="mechanism.deadline.opens"
            value={next.opens ?? usualOpening}
            onChange={(opens) => put({ opens })}
          />
        </Sentence>
      </Option>
    </>
  )
}

function Fixed({ draft: { fixed }, change }: Props) {
  const text = useWords(words)
  const put = (changes: Partial<Draft['fixed']>) => change({ fixed: { ...fixed, ...changes } })
  return (
    <>
      <Sentence at={['mechanism.deadline.at']}>
        <span>{text.fixed[0]}</span>
        <MomentField
          label={text.fixed[0] as string}
          path="mechanism.deadline.at"
          value={fixed.at}
          onChange={(at) => put({ at })}
        />
        <span>{text.fixed[1]}</span>
      </Sentence>
      <Option
        label={text.opens}
        hint={text.opensHint}
        isOn={fixed.opensAt !== null}
        onChange={(isOn) => put({ opensAt: isOn ? '' : null })}
      >
        <Sentence at={['mechanism.deadline.opensAt']}>
          <span>{text.opensOn}</span>
          <MomentField
            label={text.opensOn}
            path="mechanism.deadline.opensAt"
            usualTime="00:00"
            value={fixed.opensAt ?? ''}
            onChange={(opensAt) => put({ opensAt })}
          />
        </Sentence>
      </Option>
    </>
  )
}

function Skips({ draft, change }: Props) {
  const text = useWords(words)
  // Only at first: it stays as the reader opened or closed it.
  const [isUsed] = useState(draft.skipWeekdays.length > 0 || draft.skipDates.length > 0)
  return (
    <details className="skips" open={isUsed}>
      <summary>{text.skips}</summary>
      <Stack gap="sm" mt="sm">
        <Sentence at={['mechanism.deadline.skipWeekdays']} hint={text.skipHint}>
          <span>{text.skipWeekdays}</span>
          <WeekdaysField
            label={text.skipWeekdays}
            value={draft.skipWeekdays}
            onChange={(skipWeekdays) => change({ skipWeekdays })}
          />
        </Sentence>
        <Sentence at={['mechanism.deadline.skipDates']}>
          <span>{text.skipDates}</span>
          <DatesField
            label={text.date}
            path="mechanism.deadline.skipDates"
            value={draft.skipDates}
            onChange={(skipDates) => change({ skipDates })}
          />
        </Sentence>
      </Stack>
    </details>
  )
}

/** What happens to somebody who comes again: only where the time is each one's own. */
export function AgainSection({ draft, change }: Props) {
  const text = useWords(words)
  const { reset, afterwards } = draft
  return (
    <Section title={text.again}>
      <Option
        label={text.reset}
        hint={text.resetHint}
        isOn={reset.enabled}
        onChange={(enabled) => change({ reset: { ...reset, enabled } })}
      >
        <Sentence at={['mechanism.reset']}>
          <LimitField
            label={text.howOften}
            path="mechanism.reset.max"
            value={reset.max}
            onChange={(max) => change({ reset: { ...reset, max } })}
          />
        </Sentence>
      </Option>
      <Radio.Group
        label={text.afterwards}
        value={afterwards}
        onChange={(next) => change({ afterwards: next as Draft['afterwards'] })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="nothing" label={text.afterwardsAre.nothing} />
          <Radio value="retry" label={text.afterwardsAre.retry} />
          {afterwards === 'retry' && <Afterwards name="retry" draft={draft} change={change} />}
          <Radio value="cycle" label={text.afterwardsAre.cycle} />
          {afterwards === 'cycle' && <Afterwards name="cycle" draft={draft} change={change} />}
        </Stack>
      </Radio.Group>
    </Section>
  )
}

/** That the offer comes again once it is over: after how long, and how often. */
function Afterwards({ name, draft, change }: Props & { name: 'retry' | 'cycle' }) {
  const text = useWords(words)
  const { period, max } = draft[name]
  const put = (changes: { period: string } | { max: Typed | null }) =>
    change({ [name]: { ...draft[name], ...changes } })
  return (
    <div className="within">
      <Sentence at={[`mechanism.${name}`]}>
        <span>{text[name][0]}</span>
        <PeriodField
          label={text[name][0] as string}
          path={name === 'retry' ? 'mechanism.retry.after' : 'mechanism.cycle.pause'}
          value={period}
          onChange={(next) => put({ period: next })}
        />
        <span>{text[name][1]}</span>
        <LimitField
          label={text.howOften}
          path={`mechanism.${name}.max`}
          value={max}
          onChange={(next) => put({ max: next })}
        />
      </Sentence>
    </div>
  )
}

export function PageSection({ draft, change }: Props) {
  const text = useWords(words)
  const isWrong = useIsWrong()
  const actions = Object.entries(text.actions).map(([value, label]) => ({ value, label }))
  return (
    <Section title={text.page}>
      <Sentence at={['onExpiry']}>
        <span>{text.onExpiry}</span>
        <NativeSelect
          aria-label={text.onExpiry}
          data={actions}
          value={draft.action}
          onChange={(event) => change({ action: event.currentTarget.value as Action })}
        />
        {draft.action === 'REDIRECT' && (
          <AddressInput
            className="wide"
            label={text.redirectUrl}
            placeholder="https://"
            maxLength={2_048}
            value={draft.redirectUrl}
            onChange={(redirectUrl) => change({ redirectUrl })}
            error={isWrong('onExpiry.redirectUrl')}
          />
        )}
      </Sentence>
      <Sentence at={['anonymous']}>
        <Switch
          label={text.anonymous}
          description={text.anonymousHint}
          checked={draft.anonymous}
          onChange={(event) => change({ anonymous: event.currentTarget.checked })}
        />
      </Sentence>
      <Sentence at={['conversion']}>
        <Switch
          label={text.closes}
          description={text.closesHint}
          checked={draft.closes}
          onChange={(event) => change({ closes: event.currentTarget.checked })}
        />
      </Sentence>
    </Section>
  )
}
