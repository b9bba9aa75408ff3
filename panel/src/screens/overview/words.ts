import { inBoth, plural } from '../../language.ts'

export const words = inBoth({
  en: {
    title: 'Overview',
    kinds: {
      registration: 'Sign-ups',
      visit: 'Visits',
      click: 'Clicks',
      open: 'Opens of the countdown',
    },
    open: 'Open offers',
    atLeast: (count: string) => `at least ${count}`,
    published: (count: number) =>
      plural('en', count, { one: 'now, in # published campaign', other: 'now, in # published campaigns' }),
    days: 'The last 30 days',
    daysNote:
      'Days are those of each campaign’s time zone, up to the latest. People only: mail proxies and link scanners are counted apart. Opens say little, since Apple Mail loads every picture.',
    none: 'Nothing has happened in these days yet.',
    addOne: 'Add a lead, or put the widget on a page, and it will show here.',
    chart: 'Chart of sign-ups, visits, clicks and opens by day; the table below has the same numbers',
    attention: 'Needs attention',
    allWell: 'Nothing needs your attention.',
    looked: (count: number) =>
      plural('en', count, {
        one: 'Only the newest published campaign is looked at.',
        other: 'Only the # newest published campaigns are looked at.',
      }),
    what: {
      NO_KEY: 'There is no API key, so no server can sign leads up.',
      TOOLS_OFF:
        'Links and countdown are switched off for this account: new leads get no link, countdowns in mails are empty, and your pages show what they hold without the widget, also an offer that is over. Links that were sent still lead to their page. Ask the operator.',
      KEY_ENDS: (when: string) => `is the last API key that works, until ${when}.`,
      WEBHOOK_FAILS: 'is a webhook whose server accepts nothing: its events wait.',
      WEBHOOK_PAUSED: 'is a webhook that was paused because of its server’s answers.',
      NO_PAGE: 'has no page that mails link to, so leads get no link.',
      WIDGET_NEVER_SEEN: 'is published, but its widget has not been seen on a page yet.',
      OVER: 'is over: its date or its end has passed.',
      NO_DEADLINE: 'has no deadline, so there is nothing to count down to.',
    },
    /** What to do about it, said to who may. */
    todo: {
      NO_KEY: 'Make one under Integrations.',
      KEY_ENDS: 'Create another one under Integrations.',
      WEBHOOK_PAUSED: 'Fix the server, then resume it.',
    },
    /** Of several campaigns in one line. */
    many: {
      NO_PAGE: (count: number) =>
        plural('en', count, {
          one: '# published campaign has no page that mails link to, so its leads get no link.',
          other: '# published campaigns have no page that mails link to, so their leads get no link.',
        }),
      WIDGET_NEVER_SEEN: (count: number) =>
        plural('en', count, {
          one: '# campaign is published, but its widget has not been seen on a page yet.',
          other: '# campaigns are published, but their widgets have not been seen on a page yet.',
        }),
      OVER: (count: number) =>
        plural('en', count, {
          one: '# campaign is over: its date or its end has passed.',
          other: '# campaigns are over: their dates or their ends have passed.',
        }),
      NO_DEADLINE: (count: number) =>
        plural('en', count, {
          one: '# campaign has no deadline, so there is nothing to count down to.',
          other: '# campaigns have no deadline, so there is nothing to count down to.',
        }),
    },
  },
  pl: {
    title: 'Przegląd',
    kinds: { registration: 'Zapisy', visit: 'Wizyty', click: 'Kliknięcia', open: 'Otwarcia licznika' },
    open: 'Trwające oferty',
    atLeast: (count: string) => `co najmniej ${count}`,
    published: (count: number) =>
      plural('pl', count, { one: 'teraz, w # opublikowanej kampanii', other: 'teraz, w # opublikowanych kampaniach' }),
    days: 'Ostatnie 30 dni',
    daysNote:
      'Dni są liczone w strefie czasowej każdej kampanii, do najpóźniejszego z nich. Tylko ludzie: pośrednicy pocztowi i skanery linków są liczeni osobno. Otwarcia mówią niewiele, bo Apple Mail pobiera każdy obrazek.',
    none: 'W tych dniach nic się jeszcze nie wydarzyło.',
    addOne: 'Zapisz odbiorcę albo umieść widżet na stronie, a pojawi się to tutaj.',
    chart: 'Wykres zapisów, wizyt, kliknięć i otwarć według dni; tabela poniżej zawiera te same liczby',
    attention: 'Wymaga uwagi',
    allWell: 'Nic nie wymaga Twojej uwagi.',
    looked: (count: number) =>
      plural('pl', count, {
        one: 'Sprawdzana jest tylko # najnowsza opublikowana kampania.',
        few: 'Sprawdzane są tylko # najnowsze opublikowane kampanie.',
        other: 'Sprawdzanych jest tylko # najnowszych opublikowanych kampanii.',
      }),
    what: {
      NO_KEY: 'Nie ma klucza API, więc żaden serwer nie zapisze odbiorców.',
      TOOLS_OFF:
        'Linki i licznik są wyłączone dla tego konta: nowi odbiorcy nie dostają linku, liczniki w e-mailach są puste, a Twoje strony pokazują to, co zawierają bez widżetu, także ofertę, która już się skończyła. Wysłane linki nadal prowadzą do swojej strony. Zapytaj operatora.',
      KEY_ENDS: (when: string) => `to ostatni działający klucz API; przestanie działać: ${when}.`,
      WEBHOOK_FAILS: 'to webhook, którego serwer niczego nie przyjmuje: zdarzenia czekają.',
      WEBHOOK_PAUSED: 'to webhook wstrzymany z powodu odpowiedzi jego serwera.',
      NO_PAGE: 'nie ma strony, do której linkują e-maile, więc odbiorcy nie dostają linku.',
      WIDGET_NEVER_SEEN: 'już działa, ale nie wykryto jeszcze widżetu tej kampanii na stronie.',
      OVER: 'skończyła się: jej data albo jej koniec minął.',
      NO_DEADLINE: 'nie ma terminu, więc nie ma do czego odliczać.',
    },
    todo: {
      NO_KEY: 'Utwórz go w Integracjach.',
      KEY_ENDS: 'Utwórz następny w Integracjach.',
      WEBHOOK_PAUSED: 'Napraw serwer, a potem wznów webhook.',
    },
    many: {
      NO_PAGE: (count: number) =>
        plural('pl', count, {
          one: '# opublikowana kampania nie ma strony, do której linkują e-maile, więc jej odbiorcy nie dostają linku.',
          few: '# opublikowane kampanie nie mają strony, do której linkują e-maile, więc ich odbiorcy nie dostają linku.',
          other:
            '# opublikowanych kampanii nie ma strony, do której linkują e-maile, więc ich odbiorcy nie dostają linku.',
        }),
      WIDGET_NEVER_SEEN: (count: number) =>
        plural('pl', count, {
          one: '# opublikowana kampania nie ma jeszcze widżetu wykrytego na stronie.',
          few: '# opublikowane kampanie nie mają jeszcze widżetu wykrytego na stronie.',
          other: '# opublikowanych kampanii nie ma jeszcze widżetu wykrytego na stronie.',
        }),
      OVER: (count: number) =>
        plural('pl', count, {
          one: '# kampania skończyła się: jej data albo jej koniec minął.',
          few: '# kampanie skończyły się: ich data albo koniec minął.',
          other: '# kampanii skończyło się: ich data albo koniec minął.',
        }),
      NO_DEADLINE: (count: number) =>
        plural('pl', count, {
          one: '# kampania nie ma terminu, więc nie ma do czego odliczać.',
          few: '# kampanie nie mają terminu, więc nie ma do czego odliczać.',
          other: '# kampanii nie ma terminu, więc nie ma do czego odliczać.',
        }),
    },
  },
})
