import { inBoth } from '../../language.ts'

/** What stands around every screen of one campaign. */
export const words = inBoth({
  en: {
    results: 'Results',
    rules: 'Deadline',
    pages: 'Offer pages',
    timer: 'Mail timer',
    leads: 'Leads',
    parts: 'Parts of the campaign',
    states: { draft: 'Draft', live: 'Live', ended: 'Ended' },
    unsaved: ' (unsaved)',
    back: 'All campaigns',
    leave: 'Leave without saving?',
    leaveText: 'Your changes are not saved, so they have no effect yet. This window keeps them until you come back.',
    stay: 'Stay here',
    go: 'Leave',
  },
  pl: {
    results: 'Wyniki',
    rules: 'Termin',
    pages: 'Strony oferty',
    timer: 'Licznik w e-mailu',
    leads: 'Odbiorcy',
    parts: 'Części kampanii',
    states: { draft: 'Wersja robocza', live: 'Trwa', ended: 'Zakończona' },
    unsaved: ' (niezapisane)',
    back: 'Wszystkie kampanie',
    leave: 'Wyjść bez zapisywania?',
    leaveText: 'Zmiany nie są zapisane, więc jeszcze nie działają. To okno zachowa je do Twojego powrotu.',
    stay: 'Zostań tutaj',
    go: 'Wyjdź',
  },
})
