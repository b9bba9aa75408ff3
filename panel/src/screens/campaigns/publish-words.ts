import { inBoth } from '../../language.ts'

export const words = inBoth({
  en: {
    publish: 'Publish',
    toDraft: 'Back to draft',
    publishTitle: 'Publish this campaign?',
    publishText: [
      'From then on people can sign up: through the API and the form on your page.',
      'Links and countdown pictures that you have sent work; on your pages the widget shows and ends the offer.',
    ],
    ranOut:
      'Leads who signed up before keep their deadlines, which ran on in the meantime: anyone whose time has run out stays expired.',
    ranOn: 'Leads who signed up before keep their deadlines, which ran on in the meantime.',
    toDraftTitle: 'Take this campaign back to draft?',
    toDraftText: [
      'Nobody can sign up any more: the API refuses, and so does the form on your page.',
      'Links that you have sent lead to a page that says there is nothing here, and countdown pictures in mails become empty.',
      'On your pages the widget does nothing: they show what they hold without it, also an offer that was over.',
      'Deadlines of leads under way are not paused, they run on. Published again within their time, these leads have the offer again, until the same deadline.',
    ],
    unsaved: 'Changes that you have not saved are not published. Save them first if you want them.',
    look: 'Before you publish',
  },
  pl: {
    publish: 'Opublikuj',
    toDraft: 'Cofnij do wersji roboczej',
    publishTitle: 'Opublikować tę kampanię?',
    publishText: [
      'Od tej chwili można się zapisywać: przez API i formularz na stronie.',
      'Wysłane linki i obrazki z odliczaniem działają; na Twoich stronach widżet pokazuje i kończy ofertę.',
    ],
    ranOut:
      'Wcześniejsi odbiorcy zachowują swoje terminy. Biegły one przez ten czas dalej: kto przekroczył termin, nie zobaczy oferty.',
    ranOn: 'Wcześniejsi odbiorcy zachowują swoje terminy, które przez ten czas biegły dalej.',
    toDraftTitle: 'Cofnąć tę kampanię do wersji roboczej?',
    toDraftText: [
      'Nikt już się nie zapisze: odmówi API, odmówi też formularz na stronie.',
      'Wysłane linki prowadzą do strony z informacją, że nic tu nie ma, a obrazki z odliczaniem w e-mailach stają się puste.',
      'Na Twoich stronach widżet nic nie robi: pokazują to, co zawierają bez niego, także ofertę, która już się skończyła.',
      'Terminy obecnych odbiorców nie są wstrzymywane, biegną dalej. Jeśli opublikujesz kampanię przed ich upływem, ci odbiorcy znów mają ofertę, do tego samego terminu.',
    ],
    unsaved: 'Niezapisane zmiany nie zostaną opublikowane. Jeśli mają działać, najpierw je zapisz.',
    look: 'Zanim opublikujesz',
  },
})
