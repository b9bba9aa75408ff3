import type { Seconds } from './core/instant.ts'
import type { Store } from './store/store.ts'
import type { TemplateShelf } from './timer/templates.ts'

/** Templates of countdown images, kept in the database for every process. */
export function templateShelf(store: Store, now: () => Seconds): TemplateShelf {
  return {
    read: store.readTemplate,
    write: (key, template) => store.writeTemplate(key, template, now()),
  }
}
