import { inBoth } from '../../language.ts'

/** What stands around every screen of one campaign. */
export const words = inBoth({
  en: {
    rules: 'Deadline',
    pages: 'Offer pages',
    timer: 'Mail timer',
    leads: 'Leads',
    parts: 'Parts of the campaign',
    draft: 'Draft',
    published: 'Published',
    unsaved: ' (unsaved)',
    back: 'All campaigns',
  },
  pl: {
    rules: 'Termin',
    pages: 'Strony oferty',
    timer: 'Licznik w e-mailu',
    leads: 'Odbiorcy',
    parts: 'Części kampanii',
    draft: 'Wersja robocza',
    published: 'Opublikowana',
    unsaved: ' (niezapisane)',
    back: 'Wszystkie kampanie',
  },
})
