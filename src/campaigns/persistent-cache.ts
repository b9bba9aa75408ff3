import type { Seconds } from '../core/instant.ts'
import type { PersistentCache } from '../countdown/templates.ts'
import type { Store } from '../store/store.ts'

/** Templates of countdown images, kept in the database for every process. */
export function persistentCache(store: Store, now: () => Seconds): PersistentCache {
  return {
    read: store.templates.read,
    write: (key, template) => store.templates.write(key, template, now()),
  }
}
