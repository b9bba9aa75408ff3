import { Checkbox, Fieldset, MultiSelect, NumberInput, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'
import { type AskedOf, useSend } from '../../../api.ts'
import { type Language, locales, useLanguage, useWords } from '../../../language.ts'
import { AddressInput } from '../../../parts/address-input.tsx'
import { DialogForm } from '../../../parts/dialog-form.tsx'
import { NameInput } from '../../../parts/name-input.tsx'
import { toast } from '../../../parts/toast.tsx'
import { faultInWords } from '../../campaigns/fault-words.ts'
import { freshKey } from '../keys/fresh-key.tsx'
import { optionsOf, type Webhook, type Webhooks } from './webhook.tsx'
import { words } from './words.ts'

type Settings = Required<AskedOf<'POST /webhooks'>['body']>

const fresh: Settings = {
  ...{ name: '', url: '', kinds: ['lead.registered', 'lead.deadline_approaching', 'lead.expired'], campaignIds: null },
  ...{ leadTimes: ['PT24H'], personal: true, batch: 1, inFlight: 4, perMinute: null },
}

type Props = { all: Webhooks; of?: Webhook; onClose(): void }

export function SettingsForm({ all, of, onClose }: Props) {
  const text = useWords(words)
  const language = useLanguage()
  const [found] = useState<Settings>(of ?? fresh)
  const [given, setGiven] = useState(found)
  const [create, change] = [useSend('POST /webhooks'), useSend('PATCH /webhooks/:endpointId')]
  const send = of === undefined ? create : change
  const set = (changes: Partial<Settings>) => setGiven((before) => ({ ...before, ...changes }))
  const isNear = given.kinds.includes('lead.deadline_approaching')
  const submit = async () => {
    const body = { ...given, url: given.url.trim() }
    if (of === undefined) {
      const { id, name, secret } = await create.mutateAsync({ body })
      freshKey.set({ id: String(id), name, key: secret, isSecret: true })
    } else {
      // Only these: a colleague may have changed others since the dialog was opened.
      const isChanged = (name: keyof Settings) => JSON.stringify(body[name]) !== JSON.stringify(found[name])
      const changes = Object.entries(body).filter(([name]) => isChanged(name as keyof Settings))
      if (changes.length > 0) {
        await change.mutateAsync({ params: { endpointId: of.id }, body: Object.fromEntries(changes) })
      }
      toast(text.saved(body.name))
    }
    onClose()
  }
  const faultOf = (path: keyof typeof text.faults) => {
    const fault = send.error?.faults.find((one) => one.path.split(/[.[]/)[0] === path)
    // No campaign is chosen; the fault of one that is gone has its place in the path.
    const isOfNone = fault?.path === 'campaignIds'
    return fault && faultInWords(language, fault.message, text.faults[isOfNone ? 'kinds' : path])
  }
  /** Enter sends a number before its field has put it within its bounds. */
  const numberFault = (path: string) => {
    const message = send.error?.faults.find((fault) => fault.path === path)?.message
    return message && faultInWords(language, message)
  }
  return (
    <DialogForm send={send} submit={submit} done={of === undefined ? text.create : text.save} onClose={onClose}>
      <NameInput
        label={text.name}
        description={text.nameHint}
        data-autofocus
        value={given.name}
        failed={send.error}
        onChange={(name) => set({ name })}
      />
      <AddressInput
        label={text.url}
        description={text.urlHint}
        required
        maxLength={all.limits.urlCharacters}
        placeholder="https://"
        value={given.url}
        error={faultOf('url')}
        onChange={(url) => set({ url })}
      />
      <Checkbox.Group
        label={text.kinds}
        value={given.kinds}
        error={faultOf('kinds')}
        onChange={(kinds) => set({ kinds: kinds as Settings['kinds'] })}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {all.kinds.map((kind) => (
            <Checkbox key={kind} value={kind} label={text.kind[kind]} description={kind} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      {isNear && <LeadTimes {...{ all, given, set }} stored={found.leadTimes} error={faultOf('leadTimes')} />}
      <Campaigns {...{ all, given, set }} error={faultOf('campaignIds')} />
      <Checkbox
        label={text.personal}
        checked={given.personal}
        onChange={(event) => set({ personal: event.currentTarget.checked })}
      />
      <Speed {...{ all, given, set }} faultOf={numberFault} />
    </DialogForm>
  )
}

type PartProps = { all: Webhooks; given: Settings; set(changes: Partial<Settings>): void }
type FaultProps = PartProps & { error: string | undefined }

const usualLeadTimes = ['PT15M', 'PT1H', 'PT3H', 'PT24H', 'PT48H', 'PT168H']

/** `PT48H` as days, `PT1H30M` as hours and minutes. */
function inUnits(language: Language, period: string): string {
  const [, hours = 0, minutes = 0, seconds = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(period) ?? []
  const days = Number(hours) % 24 === 0 ? Number(hours) / 24 : 0
  const counts = { days, hours: Number(hours) - days * 24, minutes: Number(minutes), seconds: Number(seconds) }
  return new Intl.DurationFormat(locales[language], { style: 'long' }).format(counts)
}

/** The usual ones, and others that the API has set: these stay to be ticked again. */
function LeadTimes({ all: { limits }, given, set, stored, error }: FaultProps & { stored: Settings['leadTimes'] }) {
  const text = useWords(words)
  const language = useLanguage()
  const all = [...new Set([...usualLeadTimes, ...stored])]
  return (
    <Checkbox.Group
      {...{
        label: text.leadTimes,
        description: text.leadTimesHint,
        value: given.leadTimes,
        error,
        maxSelectedValues: limits.leadTimes,
      }}
      onChange={(leadTimes) => set({ leadTimes })}
    >
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs" mt="xs">
        {all.map((period) => (
          <Checkbox key={period} value={period} label={inUnits(language, period)} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}

function Campaigns({ all, given: { campaignIds }, set, error }: FaultProps) {
  const text = useWords(words)
  const goneIds = campaignIds?.filter((id) => !all.campaigns.some((one) => one.id === id)) ?? []
  const gone = goneIds.map((id) => ({ value: String(id), label: text.gone(id) }))
  return (
    <Stack gap="xs">
      <Radio.Group
        label={text.campaigns}
        value={campaignIds === null ? 'all' : 'some'}
        onChange={(next) => set({ campaignIds: next === 'all' ? null : [] })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={text.allCampaigns} />
          <Radio value="some" label={text.someCampaigns} />
        </Stack>
      </Radio.Group>
      {campaignIds !== null && (
        <MultiSelect
          aria-label={text.someCampaigns}
          {...(all.hasOlder && { description: text.newestOnly })}
          inputWrapperOrder={['input', 'description', 'error']}
          searchable
          selectFirstOptionOnChange
          // Within the page's main part, where screen readers look for it.
          comboboxProps={{ portalProps: { target: '#content' } }}
          nothingFoundMessage={text.noCampaign}
          data={[...optionsOf(all.campaigns), ...gone]}
          value={campaignIds.map(String)}
          error={error}
          onChange={(ids) => set({ campaignIds: ids.map(Number) })}
        />
      )}
    </Stack>
  )
}

type SpeedProps = PartProps & { faultOf(path: string): string | undefined }

/** What is required may be empty while it is typed, and is not sent so. */
function Speed({ all: { limits }, given, set, faultOf }: SpeedProps) {
  const text = useWords(words)
  return (
    <Fieldset legend={text.speed}>
      <SimpleGrid cols={{ base: 1, xs: 3 }} style={{ alignItems: 'end' }}>
        {(['batch', 'inFlight', 'perMinute'] as const).map((name) => (
          <NumberInput
            key={name}
            {...{ label: text[name], min: 1, max: limits[name], allowDecimal: false, allowNegative: false }}
            required={name !== 'perMinute'}
            value={given[name] ?? ''}
            error={faultOf(name)}
            onChange={(next) => set({ [name]: next === '' ? null : Number(next) })}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
}
