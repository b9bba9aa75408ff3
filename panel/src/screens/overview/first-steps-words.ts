import { inBoth } from '../../language.ts'

export const words = inBoth({
  en: {
    onlyMembers: 'Members and owners take these steps.',
    title: 'Your first live campaign',
    of: 'With',
    done: 'done',
    open: 'to do',
    steps: {
      campaign: {
        title: 'Make a campaign',
        what: 'Pick a template: the rules for the deadline are set, and you can change every one.',
        button: 'New campaign',
      },
      page: {
        title: 'Add your offer page',
        what: 'The page on your site with the offer. Links in mails lead there.',
        button: 'Add the page',
      },
      publish: {
        title: 'Publish it',
        what: 'From then on people can sign up, and links and countdowns work.',
        button: 'Open the campaign',
      },
      snippet: {
        title: 'Put the snippet on your page',
        what: 'Paste it once, then open the page: this is ticked off when the widget reports.',
        button: 'Get the snippet',
      },
      lead: {
        title: 'Get the first lead',
        what: 'By your form, the API or a file. To try it out, add your own address by hand.',
        button: 'Add a lead',
      },
    },
  },
  pl: {
    onlyMembers: 'Te kroki wykonują współpracownicy i właściciele.',
    title: 'Twoja pierwsza trwająca kampania',
    of: 'Z kampanią',
    done: 'gotowe',
    open: 'do zrobienia',
    steps: {
      campaign: {
        title: 'Utwórz kampanię',
        what: 'Wybierz szablon: zasady terminu są już ustawione, a każdą możesz zmienić.',
        button: 'Nowa kampania',
      },
      page: {
        title: 'Dodaj stronę z ofertą',
        what: 'Strona w Twojej witrynie, na której jest oferta. Tam prowadzą linki z e-maili.',
        button: 'Dodaj stronę',
      },
      publish: {
        title: 'Opublikuj ją',
        what: 'Od tej chwili można się zapisywać, a linki i liczniki działają.',
        button: 'Otwórz kampanię',
      },
      snippet: {
        title: 'Wklej kod na stronę',
        what: 'Wklej go raz i otwórz stronę: krok zostanie odhaczony, gdy widżet się odezwie.',
        button: 'Przejdź do kodu',
      },
      lead: {
        title: 'Zdobądź pierwszego odbiorcę',
        what: 'Formularzem, przez API albo z pliku. Na próbę zapisz ręcznie własny adres.',
        button: 'Dodaj odbiorcę',
      },
    },
  },
})
