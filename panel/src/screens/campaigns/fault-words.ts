// What is wrong with settings, in the reader's language. The service says it in the words of campaign files. What the
// error codes of the public API mean is in integrations/reference/words.ts.
import type { Language } from '../../language.ts'

/** Every message of the service's checks; `$1` and so on stand for what the pattern finds. */
export const faultWords: readonly [message: RegExp, en: string, pl: string][] = [
  [/^is missing$/, 'Please fill this in.', 'Uzupełnij to pole.'],
  [
    /^is unknown; known here are (.+)$/,
    'This setting is unknown; possible here: $1.',
    'Nieznane ustawienie; możliwe w tym miejscu: $1.',
  ],
  [/^must be an object$/, 'A group of settings belongs here.', 'Tu powinna być grupa ustawień.'],
  [/^must be a list$/, 'A list belongs here.', 'Tu powinna być lista.'],
  [
    /^must have at most (\d+) items, not (\d+)$/,
    'At most $1 are possible; there are $2.',
    'Może ich być najwyżej $1, a jest $2.',
  ],
  [
    /^must be a whole number of (\d+) or more$/,
    'Enter a whole number, at least $1.',
    'Wpisz liczbę całkowitą, co najmniej $1.',
  ],
  [
    /^must be a whole number from (\d+) to (\d+)(?:, or null)?$/,
    'Enter a whole number from $1 to $2.',
    'Wpisz liczbę całkowitą od $1 do $2.',
  ],
  [/^must be true or false$/, 'This can only be on or off.', 'To może być tylko włączone albo wyłączone.'],
  [
    /^must be "registration" with a deadline of the kind "fixed"$/,
    'With one date for everyone the offer can only start when somebody signs up.',
    'Przy ustawieniu z jedną datą dla wszystkich oferta może zaczynać się tylko od zapisu.',
  ],
  [
    /^must be "registration" with a deadline of the kind "none"$/,
    'With no deadline the offer can only start when somebody signs up.',
    'Przy ustawieniu z brakiem terminu oferta może zaczynać się tylko od zapisu.',
  ],
  [
    /^must be false with a deadline of the kind "fixed"$/,
    'This is not possible with one date for everyone: switch it off.',
    'Nie da się tego połączyć z jedną datą dla wszystkich: wyłącz to.',
  ],
  [
    /^must be false with a deadline of the kind "none"$/,
    'This is not possible with no deadline: switch it off.',
    'Nie da się tego połączyć z brakiem terminu: wyłącz to.',
  ],
  [
    /^must be false while retry is enabled$/,
    'Opening again by itself and another chance do not go together: choose one.',
    'Ponowne otwarcie i kolejna szansa wykluczają się: wybierz jedno.',
  ],
  [
    /^must be in the years 0000 to 9999 in UTC$/,
    'Choose a date in the years 0000 to 9999 (UTC).',
    'Wybierz datę z lat od 0000 do 9999 (UTC).',
  ],
  [/^must be before "at"$/, 'The opening must come before the end.', 'Otwarcie musi być wcześniej niż koniec.'],
  [
    /^must be at most (\d+): with these weekdays skipped, that is ten years$/,
    'With these weekdays left out, at most $1 days: that is ten years.',
    'Przy tych pominiętych dniach tygodnia najwyżej $1 dni: to dziesięć lat.',
  ],
  [
    /^must name a weekday that is not skipped$/,
    'All of these weekdays are left out below: choose another, or leave fewer out.',
    'Wszystkie te dni tygodnia są poniżej pominięte: wybierz inny albo pomiń mniej dni.',
  ],
  [
    /^must leave a date on which the offer closes within ten years$/,
    'So many dates are left out that the offer would not end within ten years.',
    'Pominięto tyle dat, że oferta nie skończyłaby się w ciągu dziesięciu lat.',
  ],
  [/^must name at least one day$/, 'Choose at least one day.', 'Wybierz co najmniej jeden dzień.'],
  [/^must name each day once$/, 'Choose each day only once.', 'Wybierz każdy dzień tylko raz.'],
  [
    /^must leave at least one weekday$/,
    'At least one weekday must be left.',
    'Musi zostać co najmniej jeden dzień tygodnia.',
  ],
  [/^must be a time such as "23:59"$/, 'Enter a time, such as 23:59.', 'Wpisz godzinę, na przykład 23:59.'],
  [
    /^must be an existing date such as /,
    'Enter a date that exists, such as 31 December 2026.',
    'Wpisz istniejącą datę, na przykład 31 grudnia 2026.',
  ],
  [
    /^must be an existing date and time such as /,
    'Enter a date that exists and a time, such as 31 December 2026, 23:59.',
    'Wpisz istniejącą datę i godzinę, na przykład 31 grudnia 2026, 23:59.',
  ],
  [
    /^must be a period such as /,
    'Enter how long: from one minute to 3,660 days or 87,840 hours.',
    'Wpisz, jak długo: od jednej minuty do 3660 dni lub 87\u00a0840 godzin.',
  ],
  [
    /^must be the name of an IANA time zone such as /,
    'Choose a time zone, such as Europe/Warsaw.',
    'Wybierz strefę czasową, na przykład Europe/Warsaw.',
  ],
  [
    /^must be a name of 1 to (\d+) characters, not blank$/,
    'Enter a name of up to $1 characters.',
    'Wpisz nazwę o długości do $1 znaków.',
  ],
  [
    /^must be an absolute https: or http: URL of at most (\d+) characters/,
    'Enter a whole address that begins with https:// or http://, of up to $1 characters, without user name or password. Letters such as “ł” count as they are encoded, with six characters each.',
    'Wpisz pełny adres zaczynający się od https:// lub http://, do $1 znaków, bez nazwy użytkownika i hasła. Litery takie jak „ł” liczą się po zakodowaniu, po sześć znaków każda.',
  ],
  [
    /^must be without the invisible character (U\+[\dA-F]+)$/,
    'There is a character in this address that nobody sees ($1): type the address instead of pasting it.',
    'W tym adresie jest niewidoczny znak ($1): wpisz adres, zamiast go wklejać.',
  ],
  [
    /^must have no user name, password or fragment$/,
    'Leave out the user name and password before the host, and the fragment at the end.',
    'Pomiń nazwę użytkownika i hasło przed hostem oraz fragment na końcu.',
  ],
  [
    /^must not be an address of Lastcall itself$/,
    'This is an address of Lastcall itself.',
    'Ten adres należy do Lastcall.',
  ],
  [
    /^must have "%25" in place of a "%" without/,
    'There is a “%” in this address that does not begin a code such as %20: write %25 in its place.',
    'W tym adresie jest znak „%”, który nie zaczyna kodu takiego jak %20: wpisz zamiast niego %25.',
  ],
  [
    /^must have "(.+)" in place of "(.)"$/su,
    'There is a “$2” in this address, which programs read in different ways: write $1 in its place.',
    'W tym adresie jest znak „$2”, który programy odczytują różnie: wpisz zamiast niego $1.',
  ],
  [
    /^must not be the id of another page of the campaign$/,
    'Two pages here have the same id.',
    'Dwie strony mają tu ten sam identyfikator.',
  ],
  [
    /^must be a colour with the preset /,
    'The background must be a colour here: the digits stand on it.',
    'Tu tło musi mieć kolor: stoją na nim cyfry.',
  ],
  [
    /^must be neighbours among /,
    'Choose units that follow each other, and not only seconds.',
    'Wybierz jednostki, które następują po sobie, i nie same sekundy.',
  ],
  [
    /^must be a text of 1 to (\d+) characters, not blank$/,
    'Enter a text of 1 to $1 characters.',
    'Wpisz tekst o długości od 1 do $1 znaków.',
  ],
  [
    /^must be a multiple of 12 with three units, such as (\d+)$/,
    'With three units enter a multiple of 12, such as $1.',
    'Przy trzech jednostkach wpisz wielokrotność liczby 12, na przykład $1.',
  ],
  [
    /^has "(.+)", which the font (.+) lacks/su,
    'The font $2 has no “$1”: choose another font or letter.',
    'Krój $2 nie ma znaku „$1”: wybierz inny krój lub znak.',
  ],
  [/^must be a colour such as /, 'Enter a colour, such as #1f2937.', 'Wpisz kolor, na przykład #1f2937.'],
  [
    /^must be a multiple of 4, such as (\d+)$/,
    'Enter a multiple of 4, such as $1.',
    'Wpisz wielokrotność liczby 4, na przykład $1.',
  ],
  [
    /^must make a picture of at most (\d+) pixels: .+ is (\d+)$/,
    'The picture is too large: $2 pixels, at most $1 are possible. Make it smaller or less fine.',
    'Obraz jest za duży: $2 pikseli, możliwe jest najwyżej $1. Zmniejsz go albo obniż jego dokładność.',
  ],
  [
    /^cannot change from \w+ to \w+ while the campaign has leads, or visitors without an email/,
    'This campaign has leads, or visitors without an email: it cannot change between one date for everyone, no deadline, and a deadline of each lead’s own. Make a new campaign instead.',
    'Ta kampania ma już odbiorców lub odwiedzających bez adresu e-mail: nie można w niej przejść między jedną datą dla wszystkich, brakiem terminu i własnym terminem każdego odbiorcy. Utwórz zamiast tego nową kampanię.',
  ],
  [
    /^(?:account \d+|the campaign) has no (?:campaign|page) \d+; leave id out/,
    'This was deleted meanwhile. Load the page again.',
    'To zostało w międzyczasie usunięte. Odśwież stronę.',
  ],
  [/^must be (".+")$/, 'Possible here: $1.', 'Możliwe w tym miejscu: $1.'],
]

/** The words for a message; where there are none yet, the message itself or what is given instead. */
export function faultInWords(language: Language, message: string, otherwise = message): string {
  for (const [pattern, en, pl] of faultWords) {
    const found = pattern.exec(message)
    if (found === null) continue
    const said = { en, pl }[language].replace(/\$(\d)/g, (_, number) => found[number] ?? '')
    // Between names to choose from stands the service's own word.
    return language === 'pl' ? said.replaceAll('" or "', '" lub "') : said
  }
  return otherwise
}
