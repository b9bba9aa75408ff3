import { inBoth, type Language, plural } from '../../../language.ts'

const en = (count: number, one: string, other: string) => plural('en', count, { one, other })
const pl = (count: number, one: string, few: string, many: string) =>
  plural('pl', count, { one, few, many, other: many })

const kindsInEnglish = {
  visit: (n: number) => en(n, '# visit', '# visits'),
  click: (n: number) => en(n, '# click', '# clicks'),
  open: (n: number) => en(n, '# open of the mail', '# opens of the mail'),
}

const kindsInPolish: typeof kindsInEnglish = {
  visit: (n) => pl(n, '# wizyta', '# wizyty', '# wizyt'),
  click: (n) => pl(n, '# kliknięcie', '# kliknięcia', '# kliknięć'),
  open: (n) => pl(n, '# otwarcie e-maila', '# otwarcia e-maila', '# otwarć e-maila'),
}

export const numberText = (language: Language, count: number) => new Intl.NumberFormat(language).format(count)

export const words = inBoth({
  en: {
    search: 'Beginning of the address',
    searchHint: 'Capital and small letters differ.',
    state: 'State',
    anyState: 'All states',
    states: { pending: 'Waits for a visit', scheduled: 'Opens later', open: 'Open', expired: 'Expired' },
    add: 'Add lead',
    import: 'Import',
    export: 'Export',
    list: 'Leads of this campaign',
    columns: {
      email: 'Address',
      state: 'State',
      deadline: 'Deadline',
      registered: 'Registered',
      attempt: 'Attempt',
    },
    byHand: 'set by hand',
    noDeadline: 'No deadline',
    more: 'Show more',
    stop: 'Stop',
    goOn: 'Go on',
    read: (count: number) => en(count, '# lead looked through', '# leads looked through'),
    found: (count: number) => `${numberText('en', count)} found`,
    upTo: (email: string) => `up to ${email}`,
    all: (count: number) => en(count, 'This is the only one.', 'These are all #.'),
    nobodyYet:
      'Nobody is registered in this campaign yet. Leads come through the form of the widget or the API; you can also add one by hand or import a list.',
    nobodyFound: 'No address begins like that. Check capital letters, or take fewer characters.',
    nobodyInState: 'No lead is in this state now. Choose another one.',
    registered: 'The lead is registered.',
    registeredBefore:
      'The lead was registered before. What registering again does, the rules of the campaign say; this is how it stands now.',
    erased: 'The lead is erased.',
    addTitle: 'Add a lead',
    addText:
      'This registers the address as your form or the API would: the deadline starts as the rules say. Nobody is written to.',
    email: 'Email',
    emailWrong:
      'This is no email address in the form of name@example.com, without accents, of up to 254 characters.',
    register: 'Register',
    lead: 'Lead',
    close: 'Close',
    leadGone: 'This lead does not exist, or was erased.',
    attempt: 'Attempt',
    cycle: 'Cycle',
    resets: (count: number) => en(count, '# reset used', '# resets used'),
    opens: 'Opens',
    deadline: 'Deadline',
    deadlineTitle: 'Deadline by hand',
    deadlineText: 'Beats the rules of the campaign for this lead, on every page and in every mail.',
    deadlineInput: (zone: string) => `New deadline, time in ${zone}`,
    deadlineWrong: 'Give a date and a time.',
    deadlinePast: 'This has passed already: the offer ends at once.',
    deadlineSet: 'Set deadline',
    deadlineClear: 'Back to the rules',
    deadlineClearText: 'Then the deadline by the rules holds again.',
    saved: 'Saved.',
    links: 'Links and countdown',
    linkTo: (page: string) => `Personal link to ${page}`,
    leadsTo: 'Leads to',
    timerIn: { en: 'Countdown image in English', pl: 'Countdown image in Polish' },
    warnings: {
      CAMPAIGN_NOT_PUBLISHED: 'Links and countdown come with publishing: the campaign is a draft.',
      COUNTDOWN_TOOLS_UNAVAILABLE: 'Links and countdown are switched off for this account. Ask the operator.',
      NO_OFFER_PAGES: 'No link: mark an offer page as eligible.',
      NO_MAIL_TIMER: 'No countdown image: switch the mail timer on.',
      NO_DEADLINE: 'There is no deadline now, so that the countdown has nothing to count to.',
    },
    timeLine: 'What happened',
    counts: kindsInEnglish,
    fetchers: {
      person: (what: string) => what,
      proxy: (what: string) => `${what} through a mail program’s proxy`,
      scanner: (what: string) => `${what} by a scanner`,
    },
    countsNote:
      'Counted by day. Some mail programs open every mail by themselves, so opens say less than clicks and visits.',
    earlier: (count: number) => en(count, 'Show # earlier day', 'Show # earlier days'),
    events: {
      registered: 'Registered',
      began: (number: number) => `Attempt ${number} began`,
      opened: 'The offer opened',
      opens: 'The offer opens',
      ended: 'The offer ended',
      ends: 'The offer ends',
      byHand: 'Deadline set by hand',
    },
    erase: 'Erase lead',
    eraseTitle: 'Erase this lead?',
    eraseText:
      'The address, the deadline and the counts of this lead are removed for good, and links already sent to them stop working. Backups made before keep them. If the address is registered again, it begins anew.',
    eraseDo: 'Erase for good',
    importTitle: 'Import leads',
    importText:
      'A CSV file whose first line names a column “email”; other columns are not read. A file of that one column works from any spreadsheet. New addresses are registered now; those that are there stay as they are.',
    importFile: 'CSV file',
    importPick: 'Choose a file',
    importDo: 'Start import',
    importRunning: 'Importing',
    importDone: 'Import finished',
    importStopped:
      'Import stopped. What was imported stays; the same file can be imported again, nothing is doubled.',
    created: 'New',
    existing: 'There already',
    refused: 'Refused',
    line: 'Line',
    reason: 'Reason',
    outcome: 'Outcome',
    reasons: {
      missing: 'No address in this line',
      tooLong: 'Longer than 254 characters',
      notAnEmail: 'Not an email address in ASCII',
      malformed: 'A quote is not closed: from there to here nothing was read',
    },
    firstOf: (shown: number, count: number) =>
      `The first ${numberText('en', shown)} of ${numberText('en', count)}.`,
    report: 'Download report',
    noEmailColumn:
      'The first line names no column “email”, separated by commas or semicolons. Name it so, and save the file as CSV in UTF-8; a file with nothing but that column always works.',
    tooBig: 'The file is larger than 200 MB. Split it, or use “lastcall lead import” on the server.',
    unreadable: 'The file cannot be read any more. Choose it again.',
    exportTitle: 'Export leads',
    exportText:
      'A CSV file with address, state, deadline, registration and the personal links and countdown addresses of each lead, for your mail service. Times are in UTC.',
    exportFiltered: 'Only what is searched for now: address and state as chosen in the list.',
    exportDo: 'Start export',
    exportRunning: 'Exporting',
    exportDone: (count: number) => en(count, '# lead in the file.', '# leads in the file.'),
    exportMarked: (count: number) =>
      en(
        count,
        '# address begins with a character that spreadsheets take for a formula; an apostrophe stands before it.',
        '# addresses begin with a character that spreadsheets take for a formula; an apostrophe stands before them.',
      ),
    download: 'Download file',
  },
  pl: {
    search: 'Początek adresu',
    searchHint: 'Wielkie i małe litery są rozróżniane.',
    state: 'Stan',
    anyState: 'Wszystkie stany',
    states: {
      pending: 'Czeka na wizytę',
      scheduled: 'Otworzy się później',
      open: 'Otwarta',
      expired: 'Wygasła',
    },
    add: 'Dodaj odbiorcę',
    import: 'Importuj',
    export: 'Eksportuj',
    list: 'Odbiorcy tej kampanii',
    columns: {
      email: 'Adres',
      state: 'Stan oferty',
      deadline: 'Termin',
      registered: 'Rejestracja',
      attempt: 'Podejście',
    },
    byHand: 'ustawiony ręcznie',
    noDeadline: 'Bez terminu',
    more: 'Pokaż więcej',
    stop: 'Zatrzymaj',
    goOn: 'Kontynuuj',
    read: (count: number) =>
      pl(count, 'Przejrzano # odbiorcę', 'Przejrzano # odbiorców', 'Przejrzano # odbiorców'),
    found: (count: number) => `znaleziono: ${numberText('pl', count)}`,
    upTo: (email: string) => `do adresu ${email}`,
    all: (count: number) => pl(count, 'To jedyny odbiorca.', 'To wszyscy: #.', 'To wszyscy: #.'),
    nobodyYet:
      'W tej kampanii nikt nie jest jeszcze zarejestrowany. Odbiorcy przychodzą przez formularz widżetu lub API; możesz też dodać kogoś ręcznie albo zaimportować listę.',
    nobodyFound: 'Żaden adres tak się nie zaczyna. Sprawdź wielkie litery albo wpisz mniej znaków.',
    nobodyInState: 'Żaden odbiorca nie jest teraz w tym stanie. Wybierz inny.',
    registered: 'Odbiorca jest zarejestrowany.',
    registeredBefore:
      'Ten odbiorca był już zarejestrowany. O tym, co daje ponowna rejestracja, decydują zasady kampanii; oto obecny stan.',
    erased: 'Odbiorca został usunięty.',
    addTitle: 'Dodaj odbiorcę',
    addText:
      'Adres zostanie zarejestrowany tak, jak przez formularz lub API: termin zacznie biec według zasad. Do nikogo nie zostanie wysłana wiadomość.',
    email: 'Adres e-mail',
    emailWrong:
      'To nie jest adres e-mail w postaci nazwa@example.com, bez polskich znaków, o długości do 254 znaków.',
    register: 'Zarejestruj',
    lead: 'Odbiorca',
    close: 'Zamknij',
    leadGone: 'Ten odbiorca nie istnieje albo został usunięty.',
    attempt: 'Podejście',
    cycle: 'Cykl',
    resets: (count: number) =>
      pl(count, 'wykorzystano # reset', 'wykorzystano # resety', 'wykorzystano # resetów'),
    opens: 'Otwarcie',
    deadline: 'Termin',
    deadlineTitle: 'Termin ustawiony ręcznie',
    deadlineText: 'Zastępuje zasady kampanii dla tego odbiorcy, na każdej stronie i w każdym e-mailu.',
    deadlineInput: (zone: string) => `Nowy termin, czas w strefie ${zone}`,
    deadlineWrong: 'Podaj datę i godzinę.',
    deadlinePast: 'Ten czas już minął: oferta skończy się natychmiast.',
    deadlineSet: 'Ustaw termin',
    deadlineClear: 'Wróć do zasad',
    deadlineClearText: 'Wtedy znów obowiązuje termin wynikający z zasad.',
    saved: 'Zapisano.',
    links: 'Linki i licznik',
    linkTo: (page: string) => `Osobisty link do ${page}`,
    leadsTo: 'Prowadzi do',
    timerIn: { en: 'Obraz licznika po angielsku', pl: 'Obraz licznika po polsku' },
    warnings: {
      CAMPAIGN_NOT_PUBLISHED: 'Linki i licznik pojawią się po publikacji: kampania jest wersją roboczą.',
      COUNTDOWN_TOOLS_UNAVAILABLE: 'Linki i licznik są wyłączone dla tego konta. Zapytaj operatora.',
      NO_OFFER_PAGES: 'Brak linku: oznacz stronę oferty jako uprawnioną.',
      NO_MAIL_TIMER: 'Brak obrazu licznika: włącz licznik w e-mailu.',
      NO_DEADLINE: 'Nie ma teraz terminu, więc licznik nie ma do czego odliczać.',
    },
    timeLine: 'Przebieg',
    counts: kindsInPolish,
    fetchers: {
      person: (what: string) => what,
      proxy: (what: string) => `${what} przez serwer pośredniczący programu pocztowego`,
      scanner: (what: string) => `${what} przez skaner`,
    },
    countsNote:
      'Liczone według dni. Niektóre programy pocztowe same otwierają każdy e-mail, dlatego otwarcia mówią mniej niż kliknięcia i wizyty.',
    earlier: (count: number) =>
      pl(count, 'Pokaż # wcześniejszy dzień', 'Pokaż # wcześniejsze dni', 'Pokaż # wcześniejszych dni'),
    events: {
      registered: 'Rejestracja',
      began: (number: number) => `Początek podejścia ${number}`,
      opened: 'Oferta się otworzyła',
      opens: 'Oferta się otworzy',
      ended: 'Oferta się skończyła',
      ends: 'Oferta się skończy',
      byHand: 'Termin ustawiono ręcznie',
    },
    erase: 'Usuń odbiorcę',
    eraseTitle: 'Usunąć tego odbiorcę?',
    eraseText:
      'Adres, termin i statystyki tego odbiorcy zostaną trwale usunięte, a wysłane już linki przestaną działać. Wcześniejsze kopie zapasowe nadal je zawierają. Ponownie zarejestrowany adres zaczyna od nowa.',
    eraseDo: 'Usuń trwale',
    importTitle: 'Importuj odbiorców',
    importText:
      'Plik CSV, którego pierwszy wiersz zawiera nazwę kolumny „email”; inne kolumny nie są czytane. Plik z tą jedną kolumną działa z każdego arkusza. Nowe adresy zostaną teraz zarejestrowane; istniejące pozostaną bez zmian.',
    importFile: 'Plik CSV',
    importPick: 'Wybierz plik',
    importDo: 'Rozpocznij import',
    importRunning: 'Trwa import',
    importDone: 'Import zakończony',
    importStopped:
      'Import zatrzymany. To, co zaimportowano, pozostaje; ten sam plik można zaimportować ponownie, nic się nie powtórzy.',
    created: 'Nowe',
    existing: 'Już istniały',
    refused: 'Odrzucone',
    line: 'Wiersz',
    reason: 'Powód',
    outcome: 'Wynik',
    reasons: {
      missing: 'Brak adresu w tym wierszu',
      tooLong: 'Więcej niż 254 znaki',
      notAnEmail: 'To nie jest adres e-mail w ASCII',
      malformed: 'Cudzysłów nie jest zamknięty: od niego aż dotąd nic nie odczytano',
    },
    firstOf: (shown: number, count: number) =>
      `Pierwsze ${numberText('pl', shown)} z ${numberText('pl', count)}.`,
    report: 'Pobierz raport',
    noEmailColumn:
      'Pierwszy wiersz nie zawiera kolumny „email” oddzielonej przecinkami lub średnikami. Nazwij ją tak i zapisz plik jako CSV w UTF-8; plik z tą jedną kolumną zawsze działa.',
    tooBig: 'Plik ma ponad 200 MB. Podziel go albo użyj polecenia „lastcall lead import” na serwerze.',
    unreadable: 'Pliku nie można już odczytać. Wybierz go ponownie.',
    exportTitle: 'Eksportuj odbiorców',
    exportText:
      'Plik CSV z adresem, stanem, terminem, rejestracją oraz osobistymi linkami i adresami licznika każdego odbiorcy, dla Twojego systemu mailingowego. Czas podano w UTC.',
    exportFiltered: 'Tylko to, czego teraz szukasz: adres i stan tak jak na liście.',
    exportDo: 'Rozpocznij eksport',
    exportRunning: 'Trwa eksport',
    exportDone: (count: number) =>
      pl(count, '# odbiorca w pliku.', '# odbiorców w pliku.', '# odbiorców w pliku.'),
    exportMarked: (count: number) =>
      pl(
        count,
        '# adres zaczyna się od znaku, który arkusze biorą za formułę; stoi przed nim apostrof.',
        '# adresy zaczynają się od znaku, który arkusze biorą za formułę; stoi przed nimi apostrof.',
        '# adresów zaczyna się od znaku, który arkusze biorą za formułę; stoi przed nimi apostrof.',
      ),
    download: 'Pobierz plik',
  },
})

export type LeadWords = (typeof words)['en']
