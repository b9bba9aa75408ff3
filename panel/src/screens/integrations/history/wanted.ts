// What of the history the reader wants to see: it stands in the address of the page, and nowhere else.
import { useMemo } from 'react'
import type { AnswerOf, AskedOf } from '../../../api.ts'
import { useAddress } from '../../../parts/address.ts'

export const dayMs = 86_400_000

/** `aheadMs`: by so much the reader's clock is ahead of the service's. */
export type Choices = AnswerOf<'GET /history/choices'> & { aheadMs: number }
export type Filters = Omit<AskedOf<'GET /history/counts'>['query'], 'from' | 'to'>
/** Milliseconds; up to now where `to` is left out, and all that is kept where `from` is. */
export type Span = { from?: number; to?: number }
export type Wanted = { filters: Filters; span: Span }

/** Names of the filters in the address. */
const names = {
  key: 'key',
  operation: 'operation',
  statusClass: 'status',
  code: 'code',
  requestId: 'request',
} as const satisfies Record<keyof Filters, string>

export type WantedState = Wanted & {
  setFilter(name: keyof Filters, value: string): void
  /** A zoom is a step of its own, which the browser's way back undoes. */
  setSpan(span: Span): void
  clear(): void
}

export function useWanted(choices: Choices): WantedState {
  const [address, put] = useAddress()
  const text = address.toString()
  const wanted = useMemo(() => read(new URLSearchParams(text), choices), [text, choices])
  return {
    ...wanted,
    setFilter: (name, value) => put({ [names[name]]: value }),
    setSpan: ({ from, to }) => put({ from: instantOf(from), to: instantOf(to) }, false),
    clear: () => put(Object.fromEntries([...address.keys()].map((name) => [name, ''])), false),
  }
}

/** Whatever else somebody may have put into the address is left aside. */
function read(search: URLSearchParams, { operations, codes, keys, days, aheadMs }: Choices): Wanted {
  const get = (name: keyof Filters) => search.get(names[name]) ?? undefined
  const key = keys.find(({ id }) => id === get('key'))?.id
  const operation = operations.find((name) => name === get('operation'))
  const code = codes.find((name) => name === get('code'))
  const statusClass = (['2', '4', '5'] as const).find((digit) => digit === get('statusClass'))
  const requestId = /^[0-9a-f-]{1,36}$/.test(get('requestId') ?? '') ? get('requestId') : undefined
  const from = millisecondsOf(search.get('from'))
  const to = millisecondsOf(search.get('to'))
  const now = Date.now() - aheadMs
  const isSpan = (from ?? now - days * dayMs) < (to ?? now)
  return {
    filters: {
      ...(key !== undefined && { key }),
      ...(operation !== undefined && { operation }),
      ...(statusClass !== undefined && { statusClass }),
      ...(code !== undefined && { code }),
      ...(requestId !== undefined && { requestId }),
    },
    span: {
      ...(isSpan && from !== undefined && { from }),
      ...(isSpan && to !== undefined && { to }),
    },
  }
}

/** What no server takes: browsers know years of six digits. */
const latest = 1e15

function millisecondsOf(text: string | null): number | undefined {
  const at = Date.parse(text ?? '')
  return at >= 0 && at < latest ? at : undefined
}

function instantOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : new Date(milliseconds).toISOString().replace('.000Z', 'Z')
}

export function queryOf({ filters, span }: Wanted) {
  return {
    ...filters,
    ...(span.from !== undefined && { from: String(span.from) }),
    ...(span.to !== undefined && { to: String(span.to) }),
  }
}

/** Whether anything but all of it is wanted. */
export function isNarrowed({ filters, span }: Wanted): boolean {
  return Object.keys(filters).length + Object.keys(span).length > 0
}
