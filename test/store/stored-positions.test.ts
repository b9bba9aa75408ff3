// Rows name these by their place in a list: a word that moves gives old rows another meaning.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCauses, noticeKinds } from '../../src/core/events.ts'
import { sources } from '../../src/store/conversions.ts'
import { fetchers, kinds } from '../../src/store/counts.ts'
import { sweepCauses } from '../../src/store/events/sweeps.ts'

/** Each list as it was first stored; a new word is added at the end of the list, and may be added here. */
const stored: [list: readonly string[], words: string[]][] = [
  [
    noticeKinds,
    [
      ...['look', 'registered before', 'lead.registered', 'lead.started', 'lead.deadline_changed', 'lead.opened'],
      ...['lead.deadline_approaching', 'lead.expired', 'lead.erased', 'campaign.ended', 'endpoint.tested'],
      'lead.converted',
    ],
  ],
  [changeCauses, ['reset', 'retry', 'set', 'cleared', 'settings']],
  [kinds, ['click', 'open', 'visit', 'registration', 'conversion']],
  [fetchers, ['person', 'proxy', 'scanner']],
  [sweepCauses, ['looks', 'edit', 'backfill', 'resumed']],
  [sources, ['api', 'panel', 'command line', 'import']],
]

test('words that rows name by their place keep it', () => {
  for (const [list, words] of stored) assert.deepEqual(list.slice(0, words.length), words)
})
