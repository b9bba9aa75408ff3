import { inBoth } from '../language.ts'

/** Words of what stands around every screen, and of what may go wrong on each. */
export const words = inBoth({
  en: {
    skip: 'Skip to the content',
    menu: 'Menu',
    overview: 'Overview',
    campaigns: 'Campaigns',
    integrations: 'Integrations',
    settings: 'Settings',
    signOut: 'Sign out',
    language: 'Language',
    scheme: 'Colours',
    schemes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
    suspended:
      'This account is suspended. You can read everything; nothing can be changed, and recipients see no offers. Whoever runs this installation can lift that.',
    retry: 'Try again',
    requestId: (id: string) => `Request ${id}`,
    copy: 'Copy',
    copied: 'Copied',
    cancel: 'Cancel',
    close: 'Close',
    yourTime: 'Your time',
    showPassword: 'Show the password',
    notFoundTitle: 'There is nothing here',
    notFound: 'The address may be mistyped, or what stood here was deleted.',
    toOverview: 'Go to the overview',
    broken:
      'This part of the panel did not load or has stopped working. Load the page again; what you have not saved in a campaign is kept.',
    loadAgain: 'Load again',
    byHand: 'Your browser does not let this page copy. Select the text and copy it yourself.',
    nameFault: 'Enter a name of up to 200 characters; spaces alone are none.',
    sessionEnded: 'Your session has ended',
    sessionEndedText: 'Sign in again to go on. What you have entered is still here.',
    failures: {
      OFFLINE: 'The service cannot be reached. Check your connection, then try again.',
      SERVICE_UNAVAILABLE: 'The service is busy or its database does not answer. Try again in a moment.',
      INTERNAL_ERROR:
        'Something went wrong on our side. Try again; if it stays, tell the operator the request id.',
      INVALID_JSON: 'The request did not arrive whole. Try again.',
      SIGNED_OUT: 'You are signed out. Sign in to go on.',
      FOREIGN_ORIGIN:
        'This page was opened under another address than the service knows. Open the panel by its own address.',
      ACCOUNT_SUSPENDED: 'The account is suspended: nothing can be changed until the operator lifts that.',
      WRONG_PASSWORD:
        'Email and password do not fit together. Check both; the operator can set a new password.',
      NOT_FOUND: 'This does not exist, or not any more. Go back and look at the list.',
      LINK_USED_UP: 'This link has been used or is too old. Ask for a new one.',
      REFUSED: 'This cannot be done as things are.',
      TOO_MANY_KEYS: 'There are as many keys as there may be. Revoke one that nobody needs, then try again.',
      CHANGED_MEANWHILE:
        'Somebody else has changed this meanwhile. Copy what you need, then load the page again to see theirs.',
      CAMPAIGN_IS_DRAFT:
        'The campaign is a draft and takes no registrations. Publish it first, then try again.',
      EMAIL_TAKEN: 'Somebody has this email already. Sign in with it, or take another.',
      UNSUPPORTED_MEDIA_TYPE: 'The request is no JSON in UTF-8. Load the page again.',
      PAYLOAD_TOO_LARGE: 'That is too much at once. Send it in smaller parts.',
      INVALID: 'Something is not right yet. Look at the marked fields.',
      TOO_MANY_TRIES: 'Too many tries. Wait a minute, then try again.',
    },
  },
  pl: {
    skip: 'Przejdź do treści',
    menu: 'Menu',
    overview: 'Przegląd',
    campaigns: 'Kampanie',
    integrations: 'Integracje',
    settings: 'Ustawienia',
    signOut: 'Wyloguj się',
    language: 'Język',
    scheme: 'Kolory',
    schemes: { auto: 'Jak w systemie', light: 'Jasne', dark: 'Ciemne' },
    suspended:
      'To konto jest zawieszone. Możesz wszystko czytać, ale niczego nie zmienisz, a odbiorcy nie widzą ofert. Może to cofnąć osoba, która prowadzi tę instalację.',
    retry: 'Spróbuj ponownie',
    requestId: (id: string) => `Żądanie ${id}`,
    copy: 'Kopiuj',
    copied: 'Skopiowano',
    cancel: 'Anuluj',
    close: 'Zamknij',
    yourTime: 'Twój czas',
    showPassword: 'Pokaż hasło',
    notFoundTitle: 'Tu nic nie ma',
    notFound: 'Adres może być błędny albo to, co tu było, zostało usunięte.',
    toOverview: 'Przejdź do przeglądu',
    broken:
      'Ta część panelu nie wczytała się albo przestała działać. Wczytaj stronę ponownie; to, czego nie zapisano w kampanii, pozostaje.',
    loadAgain: 'Wczytaj ponownie',
    byHand: 'Twoja przeglądarka nie pozwala tej stronie kopiować. Zaznacz tekst i skopiuj go samodzielnie.',
    nameFault: 'Wpisz nazwę o długości do 200 znaków; same spacje to za mało.',
    sessionEnded: 'Twoja sesja wygasła',
    sessionEndedText: 'Zaloguj się ponownie, aby kontynuować. To, co wpisano, nadal tu jest.',
    failures: {
      OFFLINE: 'Nie można połączyć się z usługą. Sprawdź połączenie i spróbuj ponownie.',
      SERVICE_UNAVAILABLE: 'Usługa jest zajęta albo jej baza danych nie odpowiada. Spróbuj za chwilę.',
      INTERNAL_ERROR:
        'Coś poszło nie tak po naszej stronie. Spróbuj ponownie; jeśli to nie pomoże, podaj operatorowi identyfikator żądania.',
      INVALID_JSON: 'Żądanie nie dotarło w całości. Spróbuj ponownie.',
      SIGNED_OUT: 'Jesteś wylogowany. Zaloguj się, aby kontynuować.',
      FOREIGN_ORIGIN:
        'Ta strona została otwarta pod innym adresem, niż zna usługa. Otwórz panel pod jego własnym adresem.',
      ACCOUNT_SUSPENDED: 'Konto jest zawieszone: niczego nie można zmienić, dopóki operator tego nie cofnie.',
      WRONG_PASSWORD:
        'Adres e-mail i hasło nie pasują do siebie. Sprawdź jedno i drugie; operator może ustawić nowe hasło.',
      NOT_FOUND: 'To nie istnieje lub już nie istnieje. Wróć i sprawdź listę.',
      LINK_USED_UP: 'Ten link został już użyty lub jest zbyt stary. Poproś o nowy.',
      REFUSED: 'W obecnym stanie nie da się tego zrobić.',
      TOO_MANY_KEYS:
        'Jest już tyle kluczy, ile może być. Unieważnij taki, którego nikt nie potrzebuje, i spróbuj ponownie.',
      CHANGED_MEANWHILE:
        'Ktoś inny zmienił to w międzyczasie. Skopiuj, czego potrzebujesz, i odśwież stronę, aby zobaczyć jego zmiany.',
      CAMPAIGN_IS_DRAFT:
        'Kampania jest wersją roboczą i nie przyjmuje rejestracji. Najpierw ją opublikuj, a potem spróbuj ponownie.',
      EMAIL_TAKEN: 'Ten adres e-mail jest już zajęty. Zaloguj się nim albo podaj inny.',
      UNSUPPORTED_MEDIA_TYPE: 'Żądanie nie jest JSON-em w UTF-8. Wczytaj stronę ponownie.',
      PAYLOAD_TOO_LARGE: 'To za dużo naraz. Wyślij to w mniejszych częściach.',
      INVALID: 'Coś jeszcze nie jest w porządku. Sprawdź zaznaczone pola.',
      TOO_MANY_TRIES: 'Zbyt wiele prób. Odczekaj minutę i spróbuj ponownie.',
    },
  },
})
