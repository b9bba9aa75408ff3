/**
 * What the description says, in Polish, by what it says: a text that changes there loses its translation here, and a
 * test says so.
 */
export const polish: Readonly<Record<string, string>> = {
  'List campaigns': 'Lista kampanii',
  "The account's campaigns, drafts and published, in ascending `id`.":
    'Kampanie konta, robocze i opublikowane, według rosnącego `id`.',
  'Campaigns per page.': 'Liczba kampanii na stronie.',
  '`nextAfterId` of the previous answer.': '`nextAfterId` z poprzedniej odpowiedzi.',
  'true: only drafts; false: only published; left out: both.':
    '`true`: tylko robocze; `false`: tylko opublikowane; bez parametru: jedne i drugie.',
  'One page of campaigns.': 'Jedna strona listy kampanii.',

  'Register an email in a published campaign': 'Rejestracja adresu w opublikowanej kampanii',
  'Registration is real: there is no sandbox. Registering again extends nothing unless the campaign says so. No email is sent. A time-out is no rollback: retrying answers 200 with `created` false.':
    'Rejestracja jest prawdziwa: nie ma środowiska testowego. Ponowna rejestracja niczego nie przedłuża, chyba że tak ustawiono kampanię. Żaden e-mail nie jest wysyłany. Przekroczenie czasu niczego nie cofa: ponowione żądanie dostaje 200 i `created` równe `false`.',
  "A campaign of the key's account.": 'Kampania konta, do którego należy klucz.',
  'At most 16 KiB (16,384 bytes).': 'Najwyżej 16 KiB (16\u00a0384 bajty).',
  'The lead was there before.': 'Odbiorca był już zarejestrowany.',
  'A new lead, on disk before this answer.': 'Nowy odbiorca, zapisany na dysku przed tą odpowiedzią.',

  "Read an existing lead's offer": 'Odczyt oferty zarejestrowanego odbiorcy',
  'POST keeps the email out of the URL. Nothing is written: no registration, activation or renewal. An expired deadline can be returned.':
    'Dzięki POST adres e-mail nie trafia do adresu URL. Nic nie jest zapisywane: ani rejestracja, ani aktywacja, ani odnowienie. Zwrócony termin może już być przeszły.',
  'The offer of this lead.': 'Oferta tego odbiorcy.',

  'Unknown properties are rejected.': 'Nieznane pola są odrzucane.',
  'A Mailbox of RFC 5321 in ASCII. Kept and compared byte for byte: case and plus-aliases are part of the identity.':
    'Adres (Mailbox) według RFC 5321 w ASCII. Przechowywany i porównywany bajt po bajcie: wielkość liter i aliasy z plusem należą do tożsamości.',
  'Language of the countdown image in this answer; `en` where it is left out.':
    'Język obrazka z odliczaniem w tej odpowiedzi; `en`, gdy go nie podano.',

  'Ascending `id`.': 'Według rosnącego `id`.',
  'Identifies the campaign.': 'Identyfikator kampanii.',
  'Name of the campaign.': 'Nazwa kampanii.',
  'What kind of deadline the campaign gives.': 'Jaki termin daje kampania.',
  'Identifies the type.': 'Identyfikator typu.',
  'Name of the type.': 'Nazwa typu.',
  'true: draft; false: published.': '`true`: wersja robocza; `false`: opublikowana.',
  'Pass as `afterId` for the next page; null on the last page.':
    'Podaj jako `afterId`, aby dostać następną stronę; na ostatniej stronie `null`.',

  'The email of the request, exactly as sent.': 'Adres e-mail z żądania, dokładnie tak, jak go wysłano.',
  'First retained registration or activation, UTC; not the time of this answer.':
    'Pierwsza zachowana rejestracja lub aktywacja, UTC; nie czas tej odpowiedzi.',
  'Actual deadline of the campaign mechanism, UTC; null when none is determined. May have passed.':
    'Rzeczywisty termin według zasad kampanii, UTC; `null`, gdy nie jest ustalony. Może już być przeszły.',
  "The campaign's time zone, an IANA name.": 'Strefa czasowa kampanii, nazwa IANA.',
  'One for each eligible page, ascending `pageId`.':
    'Po jednym dla każdej uprawnionej strony, według rosnącego `pageId`.',
  'Identifies the offer page.': 'Identyfikator strony oferty.',
  'Configured page URL.': 'Adres strony z ustawień kampanii.',
  'Personalized CTA link: the target of the button.': 'Osobisty link: to do niego prowadzi przycisk w wiadomości.',
  'Email countdown image.': 'Obrazek z odliczaniem do wiadomości e-mail.',
  'Why something is missing from this answer. Empty: nothing is.':
    'Dlaczego czegoś w tej odpowiedzi brakuje. Pusta lista: niczego nie brakuje.',
  'true only if no identifiable lead existed before this request.':
    '`true` tylko wtedy, gdy przed tym żądaniem nie było takiego odbiorcy.',

  'Tells an error from every other answer.': 'Odróżnia błąd od każdej innej odpowiedzi.',
  'What went wrong, for programs to decide by.': 'Co poszło nie tak; na tym niech opierają się programy.',
  'For people; its wording is not fixed.': 'Dla ludzi; jego brzmienie może się zmienić.',
  'Equal to the header `X-Request-Id`.': 'To samo co nagłówek `X-Request-Id`.',

  'Names this request in the request history.': 'Nazwa tego żądania w historii żądań.',
  'Answers are private.': 'Odpowiedzi są prywatne.',
  'That a key is asked for, and whether the one sent was refused (RFC 6750).':
    'Że potrzebny jest klucz i czy wysłany klucz odrzucono (RFC 6750).',
  'Seconds left in the current UTC minute.': 'Sekundy do końca bieżącej minuty UTC.',
  'Requests a minute for the account, all keys together.': 'Liczba żądań na minutę dla konta, wszystkie klucze razem.',
  'Requests left in this minute.': 'Żądania, które pozostały w tej minucie.',
  'Seconds until the minute ends.': 'Sekundy do końca minuty.',
}
