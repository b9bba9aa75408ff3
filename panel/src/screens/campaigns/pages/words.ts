import { inBoth } from '../../../language.ts'

export const words = inBoth({
  en: {
    about: 'The pages that show this offer. A link in a mail leads to one of them and names the lead.',
    empty: 'No page yet. Add the address of the page on which the offer stands; links in mails lead there.',
    add: 'Add a page',
    page: (number: number) => `Page ${number}`,
    pageUrl: 'Address of the page',
    proxyUrl: 'Link leads to (optional)',
    proxyHint: 'Another address that the link opens instead of the page, such as one of your own server that decides.',
    eligible: 'Link to this page in mails',
    eligibleHint: 'Only these pages get a link for each lead.',
    remove: 'Remove this page',
    removeTitle: 'Remove this page from the offer?',
    removeText:
      'Once you save, links to it in mails already sent lead to a page that says there is nothing here. Put back later, it gets other links.',
    save: 'Save pages',
    discard: 'Discard changes',
    saved: 'Saved.',
    unsaved: 'Not saved yet.',
    urlFault:
      'This must be a whole address that begins with https:// or http://, of at most 2,048 characters, without user name or password.',
    seen: 'Widget last seen',
    neverSeen: 'The widget has not been seen on this page yet.',
    widget: 'The widget',
    widgetText:
      'Paste this into the <head> of every offer page, or into a tag manager. Without further marks it shows a bar with the countdown.',
    snippet: 'The widget’s snippet',
    offerText:
      'Optional: mark what belongs to the offer, and the widget hides or shows it at the deadline; the countdown may stand anywhere.',
    offerSnippet: 'Example of a marked offer',
    example: {
      offer: 'Your offer',
      until: 'Only until',
      buy: 'Buy',
      over: 'This offer is over.',
      notYet: 'The offer has not begun yet.',
    },
  },
  pl: {
    about: 'Strony, na których jest ta oferta. Link w e-mailu prowadzi do jednej z nich i wskazuje odbiorcę.',
    empty: 'Nie ma jeszcze żadnej strony. Dodaj adres strony z ofertą; tam będą prowadzić linki z e-maili.',
    add: 'Dodaj stronę',
    page: (number: number) => `Strona ${number}`,
    pageUrl: 'Adres strony',
    proxyUrl: 'Link prowadzi do (opcjonalnie)',
    proxyHint: 'Inny adres, który link otworzy zamiast strony, na przykład na Twoim serwerze, który sam decyduje.',
    eligible: 'Linkuj do tej strony w e-mailach',
    eligibleHint: 'Tylko te strony dostają link dla każdego odbiorcy.',
    remove: 'Usuń tę stronę',
    removeTitle: 'Usunąć tę stronę z oferty?',
    removeText:
      'Po zapisaniu linki do niej z wysłanych już e-maili prowadzą do strony z informacją, że nic tu nie ma. Dodana ponownie, dostanie inne linki.',
    save: 'Zapisz strony',
    discard: 'Odrzuć zmiany',
    saved: 'Zapisano.',
    unsaved: 'Jeszcze nie zapisano.',
    urlFault:
      'To musi być pełny adres zaczynający się od https:// lub http://, najwyżej 2048 znaków, bez nazwy użytkownika i hasła.',
    seen: 'Widżet ostatnio wykryty',
    neverSeen: 'Nie wykryto jeszcze widżetu na tej stronie.',
    widget: 'Widżet',
    widgetText:
      'Wklej ten kod do <head> każdej strony z ofertą albo do menedżera tagów. Bez dalszych oznaczeń pokaże pasek z licznikiem.',
    snippet: 'Kod widżetu',
    offerText:
      'Opcjonalnie: oznacz, co należy do oferty, a widżet ukryje to lub pokaże w chwili terminu; licznik może stać w dowolnym miejscu.',
    offerSnippet: 'Przykład oznaczonej oferty',
    example: {
      offer: 'Twoja oferta',
      until: 'Tylko do',
      buy: 'Kup',
      over: 'Ta oferta się skończyła.',
      notYet: 'Oferta jeszcze się nie zaczęła.',
    },
  },
})
