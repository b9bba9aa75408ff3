// A time zone, found by a city, a country or a former name.
import { type ComboboxItem, type OptionsFilter, Select } from '@mantine/core'
import { useMemo } from 'react'
import { useAsk } from '../../../api.ts'
import { type Language, useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { useIsWrong } from './lint.tsx'
import { words } from './words.ts'

export function ZoneField({ value, onChange }: { value: string; onChange(zone: string): void }) {
  const text = useWords(words)
  const isWrong = useIsWrong()
  const language = useLanguage()
  const asked = useAsk('GET /time-zones', {}, { staleMs: 'static' })
  const { names, formerNames } = asked.data ?? {}
  const zones = useMemo(() => [...new Set([...(names ?? []), value])].sort(), [names, value])
  const filter = useMemo(() => zoneFilter(formerNames ?? {}, language), [formerNames, language])
  return (
    <>
      <Select
        className="wide"
        label={text.timeZone}
        description={text.timeZoneHint}
        data={zones}
        searchable
        filter={filter}
        // The list is scrolled to the zone that holds; what is found may be above it.
        selectFirstOptionOnChange
        allowDeselect={false}
        nothingFoundMessage={names && (knowsCountries ? text.noZone : text.noZoneByCity)}
        value={value}
        onChange={(zone) => zone !== null && onChange(zone)}
        error={isWrong('timeZone')}
      />
      <Failure of={asked} />
    </>
  )
}

/** Not every browser has it. */
const knowsCountries = 'getTimeZones' in Intl.Locale.prototype

function zoneFilter(formerNames: Record<string, string>, language: Language): OptionsFilter {
  // A tenth of a second on a desk: only once somebody searches.
  let countries: Map<string, string[]> | undefined
  const termsOf = (zone: string) => {
    countries ??= knowsCountries ? countriesByZone(language) : new Map()
    const names = [zone, formerNames[zone] ?? '']
    return plain([...names, ...names.flatMap((name) => countries?.get(name) ?? [])].join(' '))
  }
  return ({ options, search }) => {
    // The beginning of a word, and first where it is the whole of one: India before Indiana.
    const whole = plain(search)
    const begun = whole.trimEnd()
    if (begun === '') return options
    const found = (options as ComboboxItem[])
      .map((option) => ({ option, terms: termsOf(option.value) }))
      .filter(({ terms }) => terms.includes(begun))
    return found
      .toSorted((a, b) => Number(b.terms.includes(whole)) - Number(a.terms.includes(whole)))
      .map(({ option }) => option)
  }
}

/** Names of countries in the reader's language, by each of their zones. */
function countriesByZone(language: Language): Map<string, string[]> {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const found = new Map<string, string[]>()
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code)
    if (name === undefined) continue
    for (const zone of new Intl.Locale(`und-${code}`).getTimeZones() ?? []) {
      found.set(zone, [...(found.get(zone) ?? []), name])
    }
  }
  return found
}

/** ` america new york `: words in small letters, without accents, a space before and after each. */
function plain(text: string): string {
  const letters = text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ł', 'l')
  return ` ${letters} `.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
}
