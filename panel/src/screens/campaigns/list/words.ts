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
  blank: { name: 'Pusta', text: 'Jeszcze bez terminu. Wszystkie reguły ustawiasz samodzielnie.' },
}

export const words = inBoth({
  en: {
    title: 'Campaigns',
    new: 'New campaign',
    newText: 'Choose what it begins with. It stays a draft until you publish it, and everything can be changed.',
    name: 'Name',
    create: 'Create draft',
    findPerson: 'Find a person',
    import: 'Import file',
    importText: 'A file that was exported here, or written for “campaign apply”. It becomes a new draft.',
    notJson: 'This file is not JSON. Choose one that was exported from Lastcall.',
    search: 'Search by name',
    state: 'State',
    shown: { all: 'All', draft: 'Draft', live: 'Live', ended: 'Ended' },
    page: (number: number) => `Page ${number} of the list`,
    nextPage: 'Next page',
    previousPage: 'Previous page',
    empty: 'There is no campaign yet. Make the first one: a template takes a minute.',
    noMatch: 'No campaign fits. Search for something else, or show all.',
    type: 'Type',
    types: { 'Fixed date': 'Fixed date', Evergreen: 'Evergreen', Recurring: 'Recurring' } as Record<string, string>,
    id: 'Id',
    actions: (name: string) => `Actions on ${name}`,
    export: 'Export',
    duplicate: 'Duplicate',
    copyOf: (name: string) => `Copy of ${name}`,
    remove: 'Delete',
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeText:
      'All its leads go with it. Links and countdowns that were sent stop working, and the API answers that there is no such campaign. This cannot be undone.',
    removeConfirm: (name: string) => `To be sure, type the campaign’s name: ${name}`,
    removed: (name: string) => `“${name}” is deleted.`,
    count: (count: number) => plural('en', count, { one: '# campaign', other: '# campaigns' }),
    templates: templatesEn,
  },
  pl: {
    title: 'Kampanie',
    new: 'Nowa kampania',
    newText: 'Wybierz, od czego zacząć. Do publikacji pozostaje wersją roboczą i wszystko można zmienić.',
    name: 'Nazwa',
    create: 'Utwórz wersję roboczą',
    findPerson: 'Znajdź osobę',
    import: 'Importuj plik',
    importText: 'Plik wyeksportowany tutaj lub napisany dla „campaign apply”. Powstanie nowa wersja robocza.',
    notJson: 'Ten plik nie jest w formacie JSON. Wybierz plik wyeksportowany z Lastcall.',
    search: 'Szukaj po nazwie',
    state: 'Stan',
    // Short: all of them stand in one line of a phone.
    shown: { all: 'Wszystkie', draft: 'Robocze', live: 'Trwają', ended: 'Minęły' },
    page: (number: number) => `Strona listy ${number}`,
    nextPage: 'Następna strona',
    previousPage: 'Poprzednia strona',
    empty: 'Nie ma jeszcze żadnej kampanii. Utwórz pierwszą: z szablonem zajmie to minutę.',
    noMatch: 'Żadna kampania nie pasuje. Wyszukaj coś innego albo pokaż wszystkie.',
    type: 'Typ',
    types: { 'Fixed date': 'Stała data', Evergreen: 'Indywidualny termin', Recurring: 'Cykliczna' } as Record<
      string,
      string
    >,
    id: 'Id',
    actions: (name: string) => `Działania: ${name}`,
    export: 'Eksportuj',
    duplicate: 'Powiel',
    copyOf: (name: string) => `Kopia: ${name}`,
    remove: 'Usuń',
    removeTitle: (name: string) => `Usunąć „${name}”?`,
    removeText:
      'Razem z nią znikną wszyscy jej odbiorcy. Wysłane linki i liczniki przestaną działać, a API odpowie, że takiej kampanii nie ma. Tego nie można cofnąć.',
    removeConfirm: (name: string) => `Dla pewności wpisz nazwę kampanii: ${name}`,
    removed: (name: string) => `Usunięto kampanię „${name}”.`,
    count: (count: number) =>
      plural('pl', count, {
        ...{ one: '# kampania', few: '# kampanie', many: '# kampanii', other: '# kampanii' },
      }),
    templates: templatesPl,
  },
})
