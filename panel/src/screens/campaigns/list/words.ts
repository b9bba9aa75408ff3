import { inBoth, plural } from '../../../language.ts'
import type { TemplateName } from './templates.ts'

const templatesEn: Record<TemplateName, { name: string; text: string }> = {
  hours: { name: '48 hours from sign-up', text: 'Everybody gets two days from the moment they sign up.' },
  midnight: {
    name: 'Three days until midnight',
    text: 'The offer ends at 23:59 on the third day after sign-up.',
  },
  friday: { name: 'Every Friday', text: 'The offer ends on the next Friday at 23:59, at least a day away.' },
  blackFriday: { name: 'Black Friday', text: 'One end for everybody: Black Friday at 23:59.' },
  blank: { name: 'Blank', text: 'No deadline yet. You set every rule yourself.' },
}

const templatesPl: typeof templatesEn = {
  hours: { name: '48 godzin od zapisu', text: 'Każdy dostaje dwie doby od chwili zapisania się.' },
  midnight: { name: 'Trzy dni do północy', text: 'Oferta kończy się o 23:59 trzeciego dnia po zapisie.' },
  friday: {
    name: 'W każdy piątek',
    text: 'Oferta kończy się w najbliższy piątek o 23:59, nie wcześniej niż za dobę.',
  },
  blackFriday: { name: 'Black Friday', text: 'Jeden koniec dla wszystkich: Black Friday o 23:59.' },
  blank: { name: 'Pusta', text: 'Jeszcze bez terminu. Wszystkie zasady ustawiasz samodzielnie.' },
}

export const words = inBoth({
  en: {
    onlyMembers: 'You can look at campaigns; members and owners make and change them.',
    title: 'Campaigns',
    new: 'New campaign',
    newText: 'Choose what it begins with. It stays a draft until you publish it, and everything can be changed.',
    name: 'Name',
    create: 'Create draft',
    findPerson: 'Find a person',
    import: 'Import file',
    importText: 'A file that was exported here, or written for “campaign apply”. It becomes a new draft.',
    noCampaign: 'This file has no campaign in it. Choose one that was exported from Lastcall.',
    fileWrong: 'Some settings in this file are not right. Correct them there, then choose it again.',
    search: 'Search by name',
    state: 'State',
    shown: { all: 'All', draft: 'Draft', live: 'Live', ended: 'Ended', archived: 'Archive' },
    sort: 'Order',
    sorts: { newest: 'Newest', name: 'By name', signUps: 'Most sign-ups', clicks: 'Most clicks', ends: 'Ends first' },
    columns: {
      ...{ name: 'Campaign', leads: 'Leads', open: 'Open offers', clicks: 'Clicks, 30 days', ends: 'Ends' },
      ...{ signUps: 'Sign-ups, 30 days', actions: 'Actions' },
    },
    sparkline: (count: number) => plural('en', count, { one: '# sign-up in 30 days', other: '# sign-ups in 30 days' }),
    archive: 'Archive',
    archiveTitle: (name: string) => `Archive “${name}”?`,
    archiveText:
      'It goes back to draft and out of this list. Nobody can sign up any more, links already sent lead to a page that says there is nothing here, and countdowns in mails become empty. Your pages show what they hold without the widget, also an offer that was over. Leads and results stay; you can bring it back.',
    archivedNow: (name: string) => `“${name}” is in the archive.`,
    restore: 'Bring back',
    restored: (name: string) => `“${name}” is back, as a draft.`,
    publishedMeanwhile: (name: string) => `“${name}” is back already: it was published meanwhile. Nothing was changed.`,
    page: (number: number) => `Page ${number} of the list`,
    nextPage: 'Next page',
    previousPage: 'Previous page',
    empty: 'There is no campaign yet.',
    makeFirst: 'Make the first one: a template takes a minute.',
    noMatch: 'No campaign fits. Search for something else, or show all.',
    allArchived: 'All campaigns are archived. Choose “Archive” above to see them.',
    types: { 'Fixed date': 'Fixed date', Evergreen: 'Evergreen', Recurring: 'Recurring' } as Record<string, string>,
    id: 'Id',
    actions: (name: string) => `Actions on ${name}`,
    export: 'Export',
    duplicate: 'Duplicate',
    copyOf: (name: string) => `Copy of ${name}`,
    remove: 'Delete',
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeText:
      'All its leads go with it. Links and countdowns that were sent stop working, and the API answers that there is no such campaign. Your pages show what they hold without the widget, also an offer that was over. This cannot be undone.',
    removeConfirm: (name: string) => `To be sure, type the campaign’s name: ${name}`,
    removed: (name: string) => `“${name}” is deleted.`,
    count: (count: number) => plural('en', count, { one: '# campaign', other: '# campaigns' }),
    templates: templatesEn,
  },
  pl: {
    onlyMembers: 'Możesz przeglądać kampanie; tworzą je i zmieniają współpracownicy i właściciele.',
    title: 'Kampanie',
    new: 'Nowa kampania',
    newText: 'Wybierz, od czego zacząć. Do publikacji pozostaje wersją roboczą i wszystko można zmienić.',
    name: 'Nazwa',
    create: 'Utwórz wersję roboczą',
    findPerson: 'Znajdź osobę',
    import: 'Importuj plik',
    importText: 'Plik wyeksportowany tutaj lub napisany dla „campaign apply”. Powstanie nowa wersja robocza.',
    noCampaign: 'W tym pliku nie ma kampanii. Wybierz plik wyeksportowany z Lastcall.',
    fileWrong: 'Niektóre ustawienia w tym pliku są nieprawidłowe. Popraw je w nim i wybierz go ponownie.',
    search: 'Szukaj po nazwie',
    state: 'Stan',
    // Short: all of them stand in one line of a phone 390 wide; on a narrower one the last is below.
    shown: { all: 'Wszystkie', draft: 'Robocze', live: 'Trwają', ended: 'Zakończone', archived: 'Archiwum' },
    sort: 'Kolejność',
    sorts: {
      ...{ newest: 'Najnowsze', name: 'Według nazwy', signUps: 'Najwięcej zapisów' },
      ...{ clicks: 'Najwięcej kliknięć', ends: 'Najbliższy koniec' },
    },
    columns: {
      ...{ name: 'Kampania', leads: 'Odbiorcy', open: 'Trwające oferty', clicks: 'Kliknięcia, 30 dni', ends: 'Koniec' },
      ...{ signUps: 'Zapisy, 30 dni', actions: 'Działania' },
    },
    sparkline: (count: number) =>
      plural('pl', count, {
        ...{
          one: '# zapis w 30 dni',
          few: '# zapisy w 30 dni',
          many: '# zapisów w 30 dni',
          other: '# zapisu w 30 dni',
        },
      }),
    archive: 'Przenieś do archiwum',
    archiveTitle: (name: string) => `Przenieść „${name}” do archiwum?`,
    archiveText:
      'Wróci do wersji roboczej i zniknie z tej listy. Nikt już się nie zapisze, wysłane linki prowadzą do strony z informacją, że nic tu nie ma, a liczniki w e-mailach stają się puste. Twoje strony pokażą to, co zawierają bez widżetu, także ofertę, która już się skończyła. Odbiorcy i wyniki zostają; kampanię można przywrócić.',
    archivedNow: (name: string) => `„${name}” jest w archiwum.`,
    restore: 'Przywróć',
    restored: (name: string) => `„${name}” wróciła jako wersja robocza.`,
    publishedMeanwhile: (name: string) =>
      `„${name}” nie jest już w archiwum: w międzyczasie ktoś opublikował tę kampanię. Nic nie zmieniono.`,
    page: (number: number) => `Strona listy ${number}`,
    nextPage: 'Następna strona',
    previousPage: 'Poprzednia strona',
    empty: 'Nie ma jeszcze żadnej kampanii.',
    makeFirst: 'Utwórz pierwszą: z szablonem zajmie to minutę.',
    noMatch: 'Żadna kampania nie pasuje. Wyszukaj coś innego albo pokaż wszystkie.',
    allArchived: 'Wszystkie kampanie są w archiwum. Aby je zobaczyć, wybierz wyżej „Archiwum”.',
    types: {
      'Fixed date': 'Stała data',
      Evergreen: 'Indywidualny termin',
      Recurring: 'Powtarzające się daty',
    } as Record<string, string>,
    id: 'Id',
    actions: (name: string) => `Działania: ${name}`,
    export: 'Eksportuj',
    duplicate: 'Powiel',
    copyOf: (name: string) => `Kopia: ${name}`,
    remove: 'Usuń',
    removeTitle: (name: string) => `Usunąć „${name}”?`,
    removeText:
      'Razem z nią znikną wszyscy jej odbiorcy. Wysłane linki i liczniki przestaną działać, a API odpowie, że takiej kampanii nie ma. Twoje strony pokażą to, co zawierają bez widżetu, także ofertę, która już się skończyła. Tego nie można cofnąć.',
    removeConfirm: (name: string) => `Dla pewności wpisz nazwę kampanii: ${name}`,
    removed: (name: string) => `Usunięto kampanię „${name}”.`,
    count: (count: number) =>
      plural('pl', count, {
        ...{ one: '# kampania', few: '# kampanie', many: '# kampanii', other: '# kampanii' },
      }),
    templates: templatesPl,
  },
})
