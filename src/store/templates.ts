// Countdown images as they were built, kept for every process.
import type { Seconds } from '../core/instant.ts'
import type { Runner } from './sql.ts'

const mostTemplates = 10_000

/** By the index alone: a template has a million bytes, and all others wait while those of many are read. */
export const removeOldest = `DELETE FROM timer_templates WHERE made_at <
  (SELECT made_at FROM timer_templates ORDER BY made_at DESC LIMIT 1 OFFSET ${mostTemplates - 1})`

export function templatesOn({ read, writeUnflushed }: Runner) {
  return {
    read: (id: string): Promise<Uint8Array | undefined> =>
      read(async (sql) => (await sql.get('SELECT template FROM timer_templates WHERE id = ?', id))?.template),
    write: (id: string, template: Uint8Array, madeAt: Seconds) =>
      writeUnflushed(async ({ run }) => {
        await run(
          // One that is there was broken, or another process built it at the same time.
          `INSERT INTO timer_templates (id, template, made_at) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET template = excluded.template, made_at = excluded.made_at`,
          id,
          template,
          madeAt,
        )
        await run(removeOldest)
      }),
  }
}
