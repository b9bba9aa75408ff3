import type { ApiErrorCode, ApiWarning } from '../../../../../src/http/panel/reference.ts'
import { inBoth, type Language, plural } from '../../../language.ts'

/** What an error means to a caller, and what to do about it. */
type CodeWords = { means: string; next: string }

const number = (language: Language, value: number) => new Intl.NumberFormat(language).format(value)

export const words = inBoth({
  en: {
    intro:
      'Three operations, for your server: list the campaigns, register an email as a lead, and read the offer of a lead. The examples are for this installation and run as copied.',
    baseUrl: 'Base address',
    key: 'Key',
    keyText:
      'The examples read the key from the environment of the program, where it belongs: never write it into a page, an app or an address.',
    toKeys: 'Make a key',
    onlyOwners: 'Owners of the account make keys.',
    keyLine: 'Line that sets the key',
    limit: 'Rate limit',
    limitText: (count: number) =>
      plural('en', count, {
        one: '# request in each UTC minute, of all keys of the account together.',
        other: '# requests in each UTC minute, of all keys of the account together.',
      }),
    description: 'Description',
    descriptionText: 'OpenAPI 3.1 with this base address, for code generators and tools.',
    download: 'Download',
    collection: 'Collection',
    collectionText:
      'For Postman, in its format 2.1; Bruno and others import it too. Put your key into the variable “key”.',
    campaign: 'Campaign in the examples',
    campaignHint: 'Its number is in every example below and in the collection.',
    firstOnly: (count: number) =>
      `The first ${new Intl.NumberFormat('en').format(count)} campaigns can be chosen here; for another one put its number into the examples.`,
    draftOption: (name: string) => `${name} (draft)`,
    noMatch: 'No campaign has this name',
    draft:
      'This campaign is a draft. Until it is published, registering answers 409 CAMPAIGN_NOT_PUBLISHED, and the offer of a lead has no links.',
    noCampaign: 'Examples need a campaign, and there is none yet. Make one, and they will appear here with its number.',
    toCampaigns: 'Go to the campaigns',
    snippetLanguage: 'Language of the examples',
    snippet: (language: string, operation: string) => `${operation}: example (${language})`,
    operations: 'Operations',
    parameters: 'Parameters',
    body: 'Body',
    answer: (status: string) => `Answer ${status}`,
    exampleOf: (what: string) => `Example: ${what}`,
    errors: 'Errors',
    required: 'required',
    optional: 'optional',
    values: 'One of:',
    always: 'Always:',
    otherwise: 'If left out:',
    between: (from: number, to: number) => `from ${number('en', from)} to ${number('en', to)}`,
    atLeast: (from: number) => `at least ${number('en', from)}`,
    charactersAtMost: (count: number) =>
      plural('en', count, { one: 'at most # character', other: 'at most # characters' }),
    itemsAtMost: (count: number) => plural('en', count, { one: 'at most # entry', other: 'at most # entries' }),
    errorsText: 'Every error has the same body. Decide by status and code; the wording of the message may change.',
    errorBody: 'Body of an error',
    otherErrors: 'Any other request gets:',
    next: 'What to do:',
    warnings: 'Warnings',
    warningsText: 'An offer that lacks something says why, in its list of warnings.',
    headers: 'Headers of the answers',
    /** Of statuses, of which there may be none. */
    onAllBut: (statuses: string) => `on every answer${statuses && ` except ${statuses}`}`,
    onStatuses: (statuses: string) => `on ${statuses}`,
    retries: 'Trying again',
    retryAdvice: [
      'On 429 wait as many seconds as `Retry-After` says, then send again.',
      'On 503, on a proxy’s 502 and 504, and on time-outs try again after ever longer pauses, and give up after a few tries. The examples in Node, Python and PHP do both; cURL is for trying things out.',
      'Neither a 503 nor a time-out means that nothing happened: the answer may be lost, or too late, after the lead was stored. The repeat then answers 200 with `created` false.',
      'In a campaign where a new registration resets the deadline, a repeat does so too. If that matters, look the lead up before you repeat, and register again on `LEAD_NOT_FOUND` only.',
      'Give a call 10 seconds. Do not repeat a request that got another error: the answer will be the same.',
    ],
    codes: {
      INVALID_JSON: {
        means: 'The body is empty, or not one JSON text in UTF-8.',
        next: 'Correct the body.',
      },
      INVALID_CURSOR: {
        means: '`afterId` is no integer from 1 to 9007199254740991.',
        next: 'Pass `nextAfterId` unchanged, or start again without it.',
      },
      UNAUTHORIZED: {
        means: 'The key is missing, unknown, wrong or revoked.',
        next: 'Do not retry; check the key.',
      },
      ACCOUNT_SUSPENDED: {
        means: 'The account is suspended.',
        next: 'Do not retry; ask the people who run this installation.',
      },
      CAMPAIGN_NOT_FOUND: {
        means: 'The account of the key has no such campaign.',
        next: 'Check the number of the campaign, and that the key is of the same account.',
      },
      LEAD_NOT_FOUND: {
        means: 'This email, in this spelling, is no lead of the campaign.',
        next: 'Register it, or check the spelling character by character.',
      },
      NOT_FOUND: {
        means: 'There is nothing at this path for this method; a slash at the end counts.',
        next: 'Correct the path or the method.',
      },
      CAMPAIGN_NOT_PUBLISHED: {
        means: 'The campaign is a draft; nothing was kept.',
        next: 'Publish the campaign, then send again.',
      },
      PAYLOAD_TOO_LARGE: {
        means: 'The body is larger than allowed.',
        next: 'Send less.',
      },
      UNSUPPORTED_MEDIA_TYPE: {
        means: '`Content-Type` is not `application/json` in UTF-8, or the body is compressed.',
        next: 'Correct the headers.',
      },
      VALIDATION_ERROR: {
        means: 'A parameter or property is wrong, unknown or given twice; the message names it.',
        next: 'Correct the request; do not send it again unchanged.',
      },
      RATE_LIMITED: {
        means: 'The account has used up its requests for this minute.',
        next: 'Wait as many seconds as `Retry-After` says, then send again.',
      },
      INTERNAL_ERROR: {
        means: 'Something went wrong on our side; the request may have been carried out.',
        next: 'Look the lead up; tell the people who run this installation the `requestId`.',
      },
      SERVICE_UNAVAILABLE: {
        means:
          'The database does not answer, or the server is overloaded or stopping; the request may have been carried out.',
        next: 'Try again after ever longer pauses, a few times.',
      },
    } satisfies Record<ApiErrorCode, CodeWords>,
    warningTexts: {
      CAMPAIGN_NOT_PUBLISHED: 'The campaign is a draft: no links, no countdown image.',
      COUNTDOWN_TOOLS_UNAVAILABLE:
        'The account has no countdown tools: no links, no countdown image. Registration takes place.',
      NO_OFFER_PAGES: 'No page of the campaign is eligible: there are no links.',
      NO_MAIL_TIMER: 'The campaign has no mail timer: there is no countdown image.',
      NO_DEADLINE: 'There is no deadline, or none yet.',
    } satisfies Record<ApiWarning, string>,
  },
  pl: {
    intro:
      'Trzy operacje dla Twojego serwera: lista kampanii, rejestracja adresu e-mail jako odbiorcy i odczyt oferty odbiorcy. Wszystko na tej stronie dotyczy tej instalacji i działa zaraz po skopiowaniu.',
    baseUrl: 'Adres bazowy',
    key: 'Klucz',
    keyText:
      'Przykłady odczytują klucz ze środowiska programu i tam jest jego miejsce: nigdy nie wpisuj go na stronie, w aplikacji ani w adresie.',
    toKeys: 'Utwórz klucz',
    onlyOwners: 'Klucze tworzą właściciele konta.',
    keyLine: 'Wiersz ustawiający klucz',
    limit: 'Limit żądań',
    limitText: (count) =>
      plural('pl', count, {
        one: '# żądanie w każdej minucie UTC, łącznie dla wszystkich kluczy konta.',
        few: '# żądania w każdej minucie UTC, łącznie dla wszystkich kluczy konta.',
        other: '# żądań w każdej minucie UTC, łącznie dla wszystkich kluczy konta.',
      }),
    description: 'Opis API',
    descriptionText: 'OpenAPI 3.1 z tym adresem bazowym, dla generatorów kodu i narzędzi.',
    download: 'Pobierz',
    collection: 'Kolekcja',
    collectionText:
      'Dla Postmana, w jego formacie 2.1; importują ją też Bruno i inne programy. Wpisz swój klucz do zmiennej „key”.',
    campaign: 'Kampania w przykładach',
    campaignHint: 'Jej numer występuje w każdym przykładzie poniżej i w kolekcji.',
    firstOnly: (count) =>
      `Do wyboru są tu tylko najstarsze kampanie (${new Intl.NumberFormat('pl').format(count)}); numer każdej innej wstaw do przykładów samodzielnie.`,
    draftOption: (name) => `${name} (wersja robocza)`,
    noMatch: 'Żadna kampania nie ma takiej nazwy',
    draft:
      'Ta kampania jest wersją roboczą. Dopóki nie zostanie opublikowana, rejestracja zwraca 409 CAMPAIGN_NOT_PUBLISHED, a oferta odbiorcy nie ma linków.',
    noCampaign: 'Przykłady wymagają kampanii, a nie ma jeszcze żadnej. Utwórz ją, a pojawią się tu z jej numerem.',
    toCampaigns: 'Przejdź do kampanii',
    snippetLanguage: 'Język przykładów',
    snippet: (language, operation) => `${operation}: przykład (${language})`,
    operations: 'Operacje',
    parameters: 'Parametry',
    body: 'Treść żądania',
    answer: (status) => `Odpowiedź ${status}`,
    exampleOf: (what) => `Przykład: ${what}`,
    errors: 'Błędy',
    required: 'wymagane',
    optional: 'opcjonalne',
    values: 'Jedna z wartości:',
    always: 'Zawsze:',
    otherwise: 'Jeśli pominięte:',
    between: (from, to) => `od ${number('pl', from)} do ${number('pl', to)}`,
    atLeast: (from) => `co najmniej ${number('pl', from)}`,
    charactersAtMost: (count) =>
      plural('pl', count, { one: 'najwyżej # znak', few: 'najwyżej # znaki', other: 'najwyżej # znaków' }),
    itemsAtMost: (count) =>
      plural('pl', count, { one: 'najwyżej # pozycja', few: 'najwyżej # pozycje', other: 'najwyżej # pozycji' }),
    errorsText:
      'Każdy błąd ma taką samą treść. Decyduj na podstawie statusu i kodu; brzmienie komunikatu może się zmienić.',
    errorBody: 'Treść błędu',
    otherErrors: 'Każde inne żądanie dostaje:',
    next: 'Co zrobić:',
    warnings: 'Ostrzeżenia',
    warningsText: 'Oferta, w której czegoś brakuje, podaje powód na liście ostrzeżeń.',
    headers: 'Nagłówki odpowiedzi',
    onAllBut: (statuses) => `w każdej odpowiedzi${statuses && ` oprócz ${statuses}`}`,
    onStatuses: (statuses) => `przy ${statuses}`,
    retries: 'Ponawianie żądań',
    retryAdvice: [
      'Po 429 odczekaj liczbę sekund z `Retry-After` i wyślij ponownie.',
      'Po 503, po 502 i 504 od serwera pośredniczącego i po przekroczeniu czasu próbuj ponownie po coraz dłuższych przerwach i zrezygnuj po kilku próbach. Przykłady w Node, Pythonie i PHP robią jedno i drugie; cURL służy do wypróbowania.',
      'Ani 503, ani przekroczenie czasu nie znaczy, że nic się nie stało: odpowiedź mogła zaginąć lub spóźnić się już po zapisaniu odbiorcy. Ponowione żądanie dostaje wtedy 200 i `created` równe `false`.',
      'W kampanii, w której nowa rejestracja odnawia termin, robi to również powtórzone żądanie. Jeśli to ważne, przed ponowieniem odczytaj ofertę odbiorcy, a zarejestruj ponownie tylko po `LEAD_NOT_FOUND`.',
      'Daj wywołaniu 10 sekund. Nie powtarzaj żądania, które dostało inny błąd: odpowiedź będzie taka sama.',
    ],
    codes: {
      INVALID_JSON: {
        means: 'Treść jest pusta albo nie jest jednym tekstem JSON w UTF-8.',
        next: 'Popraw treść.',
      },
      INVALID_CURSOR: {
        means: '`afterId` nie jest liczbą całkowitą od 1 do 9007199254740991.',
        next: 'Podaj `nextAfterId` tak, jak je otrzymano, albo zacznij od początku bez niego.',
      },
      UNAUTHORIZED: {
        means: 'Klucza brakuje albo jest nieznany, błędny lub unieważniony.',
        next: 'Nie ponawiaj; sprawdź klucz.',
      },
      ACCOUNT_SUSPENDED: {
        means: 'Konto jest zawieszone.',
        next: 'Nie ponawiaj; zapytaj osobę, która prowadzi tę instalację.',
      },
      CAMPAIGN_NOT_FOUND: {
        means: 'Konto tego klucza nie ma takiej kampanii.',
        next: 'Sprawdź numer kampanii i to, czy klucz należy do tego samego konta.',
      },
      LEAD_NOT_FOUND: {
        means: 'Tego adresu, w tej pisowni, nie ma wśród odbiorców kampanii.',
        next: 'Zarejestruj go albo sprawdź pisownię znak po znaku.',
      },
      NOT_FOUND: {
        means: 'Pod tą ścieżką nie ma niczego dla tej metody; ukośnik na końcu też się liczy.',
        next: 'Popraw ścieżkę albo metodę.',
      },
      CAMPAIGN_NOT_PUBLISHED: {
        means: 'Kampania jest wersją roboczą; niczego nie zapisano.',
        next: 'Opublikuj kampanię i wyślij ponownie.',
      },
      PAYLOAD_TOO_LARGE: {
        means: 'Treść jest większa, niż wolno.',
        next: 'Wyślij mniej.',
      },
      UNSUPPORTED_MEDIA_TYPE: {
        means: '`Content-Type` to nie `application/json` w UTF-8 albo treść jest skompresowana.',
        next: 'Popraw nagłówki.',
      },
      VALIDATION_ERROR: {
        means: 'Parametr lub pole jest błędne, nieznane albo podane dwa razy; wymienia je komunikat.',
        next: 'Popraw żądanie; nie wysyłaj go ponownie bez zmian.',
      },
      RATE_LIMITED: {
        means: 'Konto wykorzystało swoje żądania w tej minucie.',
        next: 'Odczekaj liczbę sekund z `Retry-After` i wyślij ponownie.',
      },
      INTERNAL_ERROR: {
        means: 'Coś poszło nie tak po naszej stronie; żądanie mogło zostać wykonane.',
        next: 'Odczytaj ofertę odbiorcy; podaj `requestId` osobie, która prowadzi tę instalację.',
      },
      SERVICE_UNAVAILABLE: {
        means:
          'Baza danych nie odpowiada albo serwer jest przeciążony lub zatrzymywany; żądanie mogło zostać wykonane.',
        next: 'Spróbuj kilka razy, po coraz dłuższych przerwach.',
      },
    },
    warningTexts: {
      CAMPAIGN_NOT_PUBLISHED: 'Kampania jest wersją roboczą: nie ma linków ani obrazka z odliczaniem.',
      COUNTDOWN_TOOLS_UNAVAILABLE:
        'Konto nie ma narzędzi do odliczania: nie ma linków ani obrazka z odliczaniem. Rejestracja się odbywa.',
      NO_OFFER_PAGES: 'Żadna strona kampanii nie jest uprawniona: nie ma linków.',
      NO_MAIL_TIMER: 'Kampania nie ma licznika w e-mailu: nie ma obrazka z odliczaniem.',
      NO_DEADLINE: 'Terminu nie ma albo jeszcze go nie ma.',
    },
  },
})
