import { inBoth, plural } from '../../language.ts'

export const words = inBoth({
  en: {
    onlyMembers: 'Members and owners download and erase people.',
    title: 'Find a person',
    intro:
      'Everything that is kept of one email address, in all campaigns of this account: for when somebody asks what you know about them, or wants to be erased.',
    email: 'Email',
    emailWrong: 'Not a valid email address.',
    find: 'Find',
    nobody: (email: string) => `Nothing is kept of ${email}.`,
    found: (count: number) => plural('en', count, { one: 'In # campaign', other: 'In # campaigns' }),
    list: 'Campaigns with this address',
    deadline: 'Deadline',
    noDeadline: 'No deadline',
    deadlineUnknown: 'Not known yet',
    registered: 'Signed up',
    download: 'Download everything',
    erase: 'Erase everywhere',
    eraseTitle: 'Erase this address everywhere?',
    eraseText:
      'The address, its deadlines and counts are removed from all campaigns for good, and links already sent stop working. The campaigns’ totals and the sums of their orders stay. Unused parts of the database’s files may keep traces until the operator clears them (“lastcall lead erase”; on PostgreSQL, “VACUUM FULL”). Backups made before keep the address.',
    eraseDo: 'Erase for good',
    erased: (count: number) =>
      plural('en', count, { one: 'Erased from # campaign.', other: 'Erased from # campaigns.' }),
    others: 'Other spellings',
    othersText:
      'Capital and small letters differ, so these are other leads. If they are the same person, open each and do the same.',
    open: (email: string) => `Find ${email}`,
  },
  pl: {
    onlyMembers: 'Pobierać dane osób i usuwać je mogą współpracownicy i właściciele.',
    title: 'Znajdź osobę',
    intro:
      'Wszystko, co jest przechowywane o jednym adresie e-mail, we wszystkich kampaniach tego konta: gdy ktoś pyta, co o nim wiesz, albo chce zostać usunięty.',
    email: 'Adres e-mail',
    emailWrong: 'To nie jest poprawny adres e-mail.',
    find: 'Znajdź',
    nobody: (email: string) => `Nic nie jest przechowywane o adresie ${email}.`,
    found: (count: number) => plural('pl', count, { one: 'W # kampanii', other: 'W # kampaniach' }),
    list: 'Kampanie z tym adresem',
    deadline: 'Termin',
    noDeadline: 'Bez terminu',
    deadlineUnknown: 'Jeszcze nieznany',
    registered: 'Zapis',
    download: 'Pobierz wszystko',
    erase: 'Usuń wszędzie',
    eraseTitle: 'Usunąć ten adres wszędzie?',
    eraseText:
      'Adres, jego terminy i statystyki zostaną trwale usunięte ze wszystkich kampanii, a wysłane już linki przestaną działać. Łączne liczby kampanii i sumy zamówień zostają. Nieużywane części plików bazy danych mogą zachować ślady, dopóki operator ich nie usunie („lastcall lead erase”; w PostgreSQL: „VACUUM FULL”). Wcześniejsze kopie zapasowe nadal zawierają adres.',
    eraseDo: 'Usuń trwale',
    erased: (count: number) =>
      plural('pl', count, { one: 'Usunięto z jednej kampanii.', other: 'Usunięto z # kampanii.' }),
    others: 'Inna pisownia',
    othersText:
      'Wielkie i małe litery są rozróżniane, więc to inni odbiorcy. Jeśli to ta sama osoba, otwórz każdy adres i zrób to samo.',
    open: (email: string) => `Znajdź ${email}`,
  },
})
