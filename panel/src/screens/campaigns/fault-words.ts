// What is wrong with settings, in the reader's language. The service says it in the words of campaign files.
import type { Language } from '../../language.ts'

type Said = { en: string; pl: string }
type Words = (...found: string[]) => Said

const kinds: Record<string, Said> = {
  fixed: { en: 'one date for everyone', pl: 'jedną datą dla wszystkich' },
  none: { en: 'no deadline', pl: 'brakiem terminu' },
}
const kind = (name: string): Said => kinds[name] ?? { en: name, pl: name }

const same = (en: string, pl: string): Words => {
  return () => ({ en, pl })
}

/** Every message of the service's checks; `$1` and so on stand for what the pattern finds. */
export const faultWords: readonly [message: RegExp, words: Words][] = [
  [/^is missing$/, same('Please fill this in.', 'Uzupełnij to pole.')],
  [
    /^is unknown; known here are (.+)$/,
    (names) => ({
      en: `This setting is unknown; possible here: ${names}.`,
      pl: `Nieznane ustawienie; możliwe w tym miejscu: ${names}.`,
    }),
  ],
  [/^must be an object$/, same('A group of settings belongs here.', 'Tu powinna być grupa ustawień.')],
  [/^must be a list$/, same('A list belongs here.', 'Tu powinna być lista.')],
  [
    /^must have at most (\d+) items, not (\d+)$/,
    (most, given) => ({
      en: `At most ${most} are possible; there are ${given}.`,
      pl: `Może ich być najwyżej ${most}, a jest ${given}.`,
    }),
  ],
  [
    /^must be a whole number of (\d+) or more$/,
    (least) => ({
      en: `Enter a whole number, at least ${least}.`,
      pl: `Wpisz liczbę całkowitą, co najmniej ${least}.`,
    }),
  ],
  [
    /^must be a whole number from (\d+) to (\d+)(?:, or null)?$/,
    (least, most) => ({
      en: `Enter a whole number from ${least} to ${most}.`,
      pl: `Wpisz liczbę całkowitą od ${least} do ${most}.`,
    }),
  ],
  [
    /^must be (?:true or false|true)$/,
    same('This can only be on or off.', 'To może być tylko włączone albo wyłączone.'),
  ],
  [
    /^must be "registration" with a deadline of the kind "(\w+)"$/,
    (name) => ({
      en: `With ${kind(name as string).en} the offer can only start when somebody signs up.`,
      pl: `Przy ustawieniu z ${kind(name as string).pl} oferta może zaczynać się tylko od zapisu.`,
    }),
  ],
  [
    /^must be false with a deadline of the kind "(\w+)"$/,
    (name) => ({
      en: `This is not possible with ${kind(name as string).en}: switch it off.`,
      pl: `Nie da się tego połączyć z ${kind(name as string).pl}: wyłącz to.`,
    }),
  ],
  [
    /^must be false while retry is enabled$/,
    same(
      'Opening again by itself and another chance do not go together: choose one.',
      'Ponowne otwarcie i kolejna szansa wykluczają się: wybierz jedno.',
    ),
  ],
  [
    /^must be in the years 0000 to 9999 in UTC$/,
    same('Choose a date in the years 0000 to 9999 (UTC).', 'Wybierz datę z lat od 0000 do 9999 (UTC).'),
  ],
  [/^must be before "at"$/, same('The opening must come before the end.', 'Otwarcie musi być wcześniej niż koniec.')],
  [
    /^must be at most (\d+): with these weekdays skipped, that is ten years$/,
    (most) => ({
      en: `With these weekdays left out, at most ${most} days: that is ten years.`,
      pl: `Przy tych pominiętych dniach tygodnia najwyżej ${most} dni: to dziesięć lat.`,
    }),
  ],
  [
    /^must name a weekday that is not skipped$/,
    same(
      'All of these weekdays are left out below: choose another, or leave fewer out.',
      'Wszystkie te dni tygodnia są poniżej pominięte: wybierz inny albo pomiń mniej dni.',
    ),
  ],
  [
    /^must leave a date on which the offer closes within ten years$/,
    same(
      'So many dates are left out that the offer would not end within ten years.',
      'Pominięto tyle dat, że oferta nie skończyłaby się w ciągu dziesięciu lat.',
    ),
  ],
  [/^must name at least one day$/, same('Choose at least one day.', 'Wybierz co najmniej jeden dzień.')],
  [/^must name each day once$/, same('Choose each day only once.', 'Wybierz każdy dzień tylko raz.')],
  [
    /^must leave at least one weekday$/,
    same('At least one weekday must be left.', 'Musi zostać co najmniej jeden dzień tygodnia.'),
  ],
  [/^must be a time such as "23:59"$/, same('Enter a time, such as 23:59.', 'Wpisz godzinę, na przykład 23:59.')],
  [
    /^must be an existing date such as /,
    same('Enter a date that exists, such as 31 December 2026.', 'Wpisz istniejącą datę, na przykład 31 grudnia 2026.'),
  ],
  [
    /^must be an existing date and time such as /,
    same(
      'Enter a date that exists and a time, such as 31 December 2026, 23:59.',
      'Wpisz istniejącą datę i godzinę, na przykład 31 grudnia 2026, 23:59.',
    ),
  ],
  [
    /^must be a period such as /,
    same(
      'Enter how long: from one minute to 3,660 days or 87,840 hours.',
      'Wpisz, jak długo: od jednej minuty do 3660 dni lub 87\u00a0840 godzin.',
    ),
  ],
  [
    /^must be the name of an IANA time zone such as /,
    same('Choose a time zone, such as Europe/Warsaw.', 'Wybierz strefę czasową, na przykład Europe/Warsaw.'),
  ],
  [
    /^must be a name of 1 to (\d+) characters, not blank$/,
    (most) => ({
      en: `Enter a name of up to ${most} characters.`,
      pl: `Wpisz nazwę o długości do ${most} znaków.`,
    }),
  ],
  [
    /^must be an absolute https: or http: URL of at most (\d+) characters/,
    (most) => ({
      en: `Enter a whole address that begins with https:// or http://, of up to ${most} characters, without user name or password. Letters such as “ł” count as they are encoded, with six characters each.`,
      pl: `Wpisz pełny adres zaczynający się od https:// lub http://, do ${most} znaków, bez nazwy użytkownika i hasła. Litery takie jak „ł” liczą się po zakodowaniu, po sześć znaków każda.`,
    }),
  ],
  [
    /^must be without the invisible character (U\+[\dA-F]+)$/,
    (code) => ({
      en: `There is a character in this address that nobody sees (${code}): type the address instead of pasting it.`,
      pl: `W tym adresie jest niewidoczny znak (${code}): wpisz adres, zamiast go wklejać.`,
    }),
  ],
  [
    /^must have no user name, password or fragment$/,
    same(
      'Leave out the user name and password before the host, and the fragment at the end.',
      'Pomiń nazwę użytkownika i hasło przed hostem oraz fragment na końcu.',
    ),
  ],
  [
    /^must not be an address of Lastcall itself$/,
    same('This is an address of Lastcall itself.', 'Ten adres należy do Lastcall.'),
  ],
  [
    /^must have "%25" in place of a "%" without/,
    same(
      'There is a “%” in this address that does not begin a code such as %20: write %25 in its place.',
      'W tym adresie jest znak „%”, który nie zaczyna kodu takiego jak %20: wpisz zamiast niego %25.',
    ),
  ],
  [
    /^must have "(.+)" in place of "(.)"$/su,
    (encoded, character) => ({
      en: `There is a “${character}” in this address, which programs read in different ways: write ${encoded} in its place.`,
      pl: `W tym adresie jest znak „${character}”, który programy odczytują różnie: wpisz zamiast niego ${encoded}.`,
    }),
  ],
  [
    /^must not be the id of another page of the campaign$/,
    same('Two pages here have the same id.', 'Dwie strony mają tu ten sam identyfikator.'),
  ],
  [
    /^must be a colour with the preset /,
    same(
      'The background must be a colour here: the digits stand on it.',
      'Tu tło musi mieć kolor: stoją na nim cyfry.',
    ),
  ],
  [
    /^must be neighbours among /,
    same(
      'Choose units that follow each other, and not only seconds.',
      'Wybierz jednostki, które następują po sobie, i nie same sekundy.',
    ),
  ],
  [
    /^must be a text of 1 to (\d+) characters, not blank$/,
    (most) => ({
      en: `Enter a text of 1 to ${most} characters.`,
      pl: `Wpisz tekst o długości od 1 do ${most} znaków.`,
    }),
  ],
  [
    /^must be a multiple of 12 with three units, such as (\d+)$/,
    (such) => ({
      en: `With three units enter a multiple of 12, such as ${such}.`,
      pl: `Przy trzech jednostkach wpisz wielokrotność liczby 12, na przykład ${such}.`,
    }),
  ],
  [
    /^has "(.+)", which the font (.+) lacks/su,
    (letter, font) => ({
      en: `The font ${font} has no “${letter}”: choose another font or letter.`,
      pl: `Krój ${font} nie ma znaku „${letter}”: wybierz inny krój lub znak.`,
    }),
  ],
  [/^must be a colour such as /, same('Enter a colour, such as #1f2937.', 'Wpisz kolor, na przykład #1f2937.')],
  [
    /^must be a multiple of 4, such as (\d+)$/,
    (such) => ({
      en: `Enter a multiple of 4, such as ${such}.`,
      pl: `Wpisz wielokrotność liczby 4, na przykład ${such}.`,
    }),
  ],
  [
    /^must make a picture of at most (\d+) pixels: .+ is (\d+)$/,
    (most, given) => ({
      en: `The picture is too large: ${given} pixels, at most ${most} are possible. Make it smaller or less fine.`,
      pl: `Obraz jest za duży: ${given} pikseli, możliwe jest najwyżej ${most}. Zmniejsz go albo obniż jego dokładność.`,
    }),
  ],
  [
    /^cannot change from \w+ to \w+ while the campaign has leads, or visitors without an email/,
    same(
      'This campaign has leads, or visitors without an email: it cannot change between one date for everyone, no deadline, and a deadline of each lead’s own. Make a new campaign instead.',
      'Ta kampania ma już odbiorców lub odwiedzających bez adresu e-mail: nie można w niej przejść między jedną datą dla wszystkich, brakiem terminu i własnym terminem każdego odbiorcy. Utwórz zamiast tego nową kampanię.',
    ),
  ],
  [
    /^(?:account \d+|the campaign) has no (?:campaign|page) \d+; leave id out/,
    same('This was deleted meanwhile. Load the page again.', 'To zostało w międzyczasie usunięte. Odśwież stronę.'),
  ],
  [
    /^must be (".+")$/,
    (names) => ({
      en: `Possible here: ${names}.`,
      pl: `Możliwe w tym miejscu: ${names?.replaceAll(' or ', ' lub ')}.`,
    }),
  ],
]

/** The words for a message, or undefined where there are none yet. */
export function faultInWords(language: Language, message: string): string | undefined {
  for (const [pattern, words] of faultWords) {
    const found = pattern.exec(message)
    if (found !== null) return words(...found.slice(1))[language]
  }
  return undefined
}
