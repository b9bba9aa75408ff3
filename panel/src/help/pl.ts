import type { Topic } from '../parts/help-topic.ts'

/** Do czego służy każdy ekran i jak z nim pracować. */
export const pages: Record<Topic, string> = {
  overview: `
# Przegląd

Co działo się w ostatnich dniach, łącznie we wszystkich kampaniach, i na co warto spojrzeć.

Dopóki żadna opublikowana kampania nie ma odbiorcy, jak na nowym koncie, na górze jest lista pierwszych kroków.

- **Zapisy** to osoby, które podały e-mail: w formularzu, przez API, z pliku albo ręcznie.
- **Wizyty** to liczba otwarć stron z widżetem.
- **Kliknięcia** to linki z e-maili otwarte przez człowieka.
- **Otwarcia** mówią niewiele: Apple Mail pobiera każdy obrazek, niezależnie od tego, czy ktoś patrzy.

Dni są liczone w strefie czasowej każdej kampanii.`,
  campaigns: `
# Kampanie

Kampania to jedna oferta z własnymi zasadami terminu. Utwórz ją z szablonu albo wczytaj z pliku.

- **Wersja robocza**: nikt się nie zapisze, linki i liczniki nic nie pokazują. Zmieniaj, co chcesz.
- **Trwa**: można się zapisywać i widać ofertę.
- **Zakończona**: jej data minęła dla wszystkich. Pozostaw ją opublikowaną: gdy stanie się wersją roboczą, trafi do archiwum albo zostanie usunięta, Twoje strony znów pokażą ofertę.

W menu wiersza są powielanie, eksport, archiwum i usuwanie. **Archiwum** cofa kampanię do wersji roboczej i ukrywa ją na liście; odbiorcy i wyniki zostają, a kampanię można przywrócić. **Usunięcie** zabiera odbiorców i nie da się go cofnąć.`,
  results: `
# Wyniki

Czy to zadziałało? Ta karta liczy osoby: ile zapisało się w wybranym czasie, ile z nich dostało trwającą ofertę i ile kliknęło.

- Wybierz dni nad wykresem. Porównujemy je z taką samą liczbą dni wcześniej.
- Wizyty i otwarcia są obok lejka, bo liczą strony i obrazki, a nie osoby.
- Skanery linków i pośrednicy pocztowi są pominięci.
- Plik CSV zawiera te same liczby co wykres.`,
  rules: `
# Termin

Tutaj określasz, kiedy oferta zaczyna się i kończy dla każdego odbiorcy. Czytaj to jak zdania; podgląd obok pokazuje, co dostanie ktoś, kto zapisze się teraz albo w wybranym czasie.

- Nic nie działa, dopóki nie **zapiszesz**. Zapisanie nie zmienia stanu kampanii: od tego są **Opublikuj** i **Cofnij do wersji roboczej**.
- Obecni odbiorcy zachowują termin, z którym zaczęli. Data wspólna dla wszystkich, koniec kampanii, resety i kolejna szansa zmieniają się dla nich od razu.
- Godziny są podane w strefie czasowej kampanii. Podgląd ostrzega o zmianie czasu.
- Uwagi przy polach mówią, co może zaskoczyć. Niczego nie blokują.

Po publikacji: wklej kod na stronę, utwórz klucz dla formularza i wstaw licznik do e-maila. **Co dalej?** w nagłówku pokazuje wszystkie trzy.`,
  pages: `
# Strony oferty

Strony w Twojej witrynie, na których jest ta oferta.

- Dodaj adres każdej strony. Strona, do której linkują e-maile, dostaje link dla każdego odbiorcy.
- Wklej kod do \`<head>\` strony albo do menedżera tagów. Każda kampania na stronie potrzebuje własnego kodu.
- Oznacz to, co należy do oferty, atrybutem \`data-lastcall\`; widżet ukryje to po terminie.
- „Widżet ostatnio wykryty” mówi, kiedy widżet odezwał się ze strony. Jeśli nic tam nie ma, opublikuj kampanię, otwórz stronę i sprawdź, czy skryptu nie zatrzymuje bloker.
- Jeśli bez zgody nic nie może być zapisane w przeglądarce, dopisz na końcu adresu skryptu \`&consent=wait\`; po zgodzie baner wywołuje \`Lastcall.consent()\` na każdej stronie.
- Widżet ukrywa ofertę, ale można ją znaleźć w kodzie strony. Aby zamknąć samą stronę, niech Twój serwer pyta bramkę: dokumentacja Lastcall ma przykłady dla nginx, WordPressa i innych (\`docs/gate.md\`).

Usunięcie strony psuje wysłane już linki do niej.`,
  timer: `
# Licznik w e-mailu

Obrazek w e-mailu, który przy każdym otwarciu odlicza do własnego terminu czytającego.

- Wybierz kolory, krój pisma i wielkość; obrazek tutaj jest taki jak w e-mailu.
- Uwagi przy polach mówią, co trudno odczytać.
- Skopiuj HTML dla swojego systemu mailingowego. Zawiera jego znaczniki linku, licznika i terminu każdego odbiorcy.
- Najpierw wyślij próbny e-mail do siebie: niektóre programy pobierają obrazki dopiero na żądanie.`,
  leads: `
# Odbiorcy

Wszyscy zapisani, każdy z własnym terminem.

- **Wyszukiwanie** znajduje początek adresu albo dowolną jego część. Wpisany tekst nigdy nie trafia do adresu strony.
- Stany oferty: **Czeka na wizytę** (pierwszą); **Otworzy się później**; **Otwarta** teraz; **Wygasła**, bo termin minął.
- Kliknij adres, aby zobaczyć linki i historię albo ustawić termin ręcznie.
- Zaznacz kilka osób, aby przedłużyć im termin, wyeksportować je albo usunąć.
- **Usunięcie** czeka dziesięć sekund, w których można je cofnąć. Potem znikają adres, jego termin i statystyki; łączne liczby kampanii i sumy zamówień zostają.

Plik do importu potrzebuje jednej kolumny z adresami; nagłówek może być dowolny. Żaden e-mail nie jest wysyłany.`,
  person: `
# Znajdź osobę

Ktoś pyta, co o nim wiesz, albo chce zostać zapomniany. Wpisz cały adres: zobaczysz, co jest o nim zapisane we wszystkich kampaniach, pobierzesz to jako plik i usuniesz wszędzie naraz.

Inna pisownia adresu (wielkie litery, kropki) to inny odbiorca: wyszukaj także ją.`,
  keys: `
# Klucze API

Z kluczem Twój serwer albo usługa formularza zapisuje odbiorców i odczytuje ich oferty.

- Klucz jest pokazywany **raz**. Skopiuj go do ustawień programu, nigdy na stronę.
- **Wymień** tworzy nowy klucz, a stary działa jeszcze przez wybrany czas, więc podczas wymiany nic się nie psuje.
- **Unieważnienie** kończy klucz od razu.
- Liczba żądań prowadzi do historii tego klucza.`,
  history: `
# Historia żądań

Każde żądanie do API odbiorców z jednym z Twoich kluczy: kiedy, jaka operacja, która kampania i co odpowiedziano. Adresów e-mail i treści nie przechowujemy.

- Kliknij identyfikator żądania, aby zobaczyć wszystko, co o nim wiadomo.
- Wybierz czas, klucz albo błąd nad listą; adres strony zachowuje wybór, więc można go przesłać innej osobie.
- Kody błędów są objaśnione w dokumentacji API.
- Prosząc o pomoc, podaj identyfikator żądania.`,
  webhooks: `
# Webhooki

Lastcall wywołuje Twój adres, gdy coś dzieje się z odbiorcą: zapisał się, jego oferta się zaczęła, zaraz się skończy albo się skończyła.

- Każde wywołanie jest podpisane. Zanim mu zaufasz, sprawdź podpis sekretem webhooka.
- Odpowiedz statusem 2xx w ciągu 15 sekund; inaczej spróbujemy ponownie, coraz rzadziej.
- Wywołanie może nadejść dwa razy. Ma wtedy ten sam identyfikator.
- Część **Co zostało wysłane** pokazuje, jakie zdarzenia wysłano, kogo dotyczyły i z jakim statusem odpowiedział Twój adres.`,
  reference: `
# Dokumentacja API

Wszystkie operacje z przykładami, które działają od razu. Wybierz kampanię i język, wstaw klucz do \`LASTCALL_KEY\` i wklej przykład.

Możesz też pobrać opis (OpenAPI) albo kolekcję dla Postmana i Bruno.`,
  settings: `
# Ustawienia

Nazwa konta i adres, od którego zaczynają się linki, liczniki i API. **Użytkownicy** to Twój zespół; **Twoje logowanie** dotyczy tylko Ciebie.

Język i kolory są w menu w prawym górnym rogu i pozostają w tej przeglądarce.`,
  users: `
# Użytkownicy

Kto może korzystać z konta.

- Zaproś kogoś linkiem. Działa raz, przez siedem dni, i nadaje rolę; właściciel może go wycofać.
- Właściciele zarządzają użytkownikami, kluczami i webhookami. Współpracownicy zajmują się kampaniami i odbiorcami. Obserwatorzy tylko patrzą i nie mogą eksportować odbiorców.
- Usunięty użytkownik zostaje wylogowany od razu.`,
  security: `
# Twoje logowanie

- Nowe hasło kończy wszystkie inne Twoje sesje.
- **Drugi składnik** to kod z aplikacji w telefonie, podawany po haśle. Zeskanuj kod QR jeden raz; działa, gdy pierwszy kod okaże się poprawny.
- **Kody zapasowe** wpuszczają po jednym razie, jeśli stracisz telefon. Przechowuj je z dala od telefonu.
- Po dziesięciu błędnych kodach w ciągu kwadransa żaden kod nie zadziała, dopóki kwadrans nie minie. Aby wyłączyć drugi składnik, też potrzeba kodu.
- Część **Twoje sesje** pokazuje każdą przeglądarkę, sieć, z której nastąpiło logowanie, i ostatnie użycie, z dokładnością do godziny. Wyloguj to, czego nie znasz, i zmień wtedy hasło.

Jeśli nie masz ani telefonu, ani kodów zapasowych, osoba prowadząca instalację usunie drugi składnik poleceniem \`lastcall user reset-factor\`.`,
  audit: `
# Dziennik zmian

Kto, co i kiedy zmienił na tym koncie. Widzą go tylko właściciele.

- Zawiera to, co robią użytkownicy w panelu, polecenia na serwerze i klucz przy webhookach. Nie ma w nim zapisów ani zamówień, które przychodzą przez API.
- Otwórz wpis, aby zobaczyć każde ustawienie **przed** i **po** zmianie.
- Wpis przechowuje numer odbiorcy, a nie e-mail; pokazuje e-mail, dopóki odbiorca istnieje. Część adresu sieciowego jest przechowywana przez trzydzieści dni.
- **Eksportuj do CSV** zapisuje wszystkie wpisy, które pasują do filtrów.`,
}
