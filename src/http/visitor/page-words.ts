// What a page in words says, in each language.
import type { MailLanguage } from '../../core/mail-language.ts'

type PageWords = Record<404 | 503, { title: string; text: string }>

export const pageWords: Record<MailLanguage, PageWords> = {
  en: {
    404: {
      title: 'There is nothing at this address',
      text: 'The link may be incomplete, or what it led to is no longer there. Open it again from the message it came in, or ask its sender.',
    },
    503: {
      title: 'Please try again in a moment',
      text: 'The page cannot be opened just now. Your link stays valid.',
    },
  },
  pl: {
    404: {
      title: 'Pod tym adresem nic nie ma',
      text: 'Link może być niepełny albo to, do czego prowadził, już nie istnieje. Otwórz go ponownie z wiadomości, w której przyszedł, lub zapytaj nadawcę.',
    },
    503: {
      title: 'Spróbuj ponownie za chwilę',
      text: 'Strony nie można teraz otworzyć. Twój link pozostaje ważny.',
    },
  },
  de: {
    404: {
      title: 'Unter dieser Adresse gibt es nichts',
      text: 'Der Link ist vielleicht unvollständig, oder das Ziel gibt es nicht mehr. Öffnen Sie ihn noch einmal aus der Nachricht, in der er kam, oder fragen Sie den Absender.',
    },
    503: {
      title: 'Bitte versuchen Sie es gleich noch einmal',
      text: 'Die Seite lässt sich gerade nicht öffnen. Ihr Link bleibt gültig.',
    },
  },
  es: {
    404: {
      title: 'No hay nada en esta dirección',
      text: 'Puede que el enlace esté incompleto o que su destino ya no exista. Ábralo de nuevo desde el mensaje en el que llegó o pregunte a quien lo envió.',
    },
    503: {
      title: 'Inténtelo de nuevo dentro de un momento',
      text: 'Ahora mismo no se puede abrir la página. Su enlace sigue siendo válido.',
    },
  },
  fr: {
    404: {
      title: 'Il n’y a rien à cette adresse',
      text: 'Le lien est peut-être incomplet, ou la page n’existe plus. Ouvrez-le à nouveau depuis le message reçu, ou demandez à son expéditeur.',
    },
    503: {
      title: 'Veuillez réessayer dans un instant',
      text: 'La page ne peut pas être ouverte pour le moment. Votre lien reste valable.',
    },
  },
  it: {
    404: {
      title: 'A questo indirizzo non c’è nulla',
      text: 'Il link potrebbe essere incompleto, oppure la pagina non esiste più. Lo apra di nuovo dal messaggio in cui è arrivato o chieda al mittente.',
    },
    503: {
      title: 'Riprovi tra un momento',
      text: 'In questo momento la pagina non si può aprire. Il suo link resta valido.',
    },
  },
  nl: {
    404: {
      title: 'Op dit adres is niets te vinden',
      text: 'De link is misschien niet volledig, of de pagina bestaat niet meer. Open de link opnieuw vanuit het bericht waarin u hem kreeg, of vraag het de afzender.',
    },
    503: {
      title: 'Probeer het zo meteen opnieuw',
      text: 'De pagina kan nu niet worden geopend. Uw link blijft geldig.',
    },
  },
  pt: {
    404: {
      title: 'Não há nada neste endereço',
      text: 'O link pode estar incompleto, ou a página já não existe. Abra-o de novo a partir da mensagem em que chegou, ou pergunte a quem o enviou.',
    },
    503: {
      title: 'Tente novamente daqui a pouco',
      text: 'Neste momento não é possível abrir a página. O seu link continua válido.',
    },
  },
  cs: {
    404: {
      title: 'Na této adrese nic není',
      text: 'Odkaz může být neúplný, nebo jeho cíl už neexistuje. Otevřete ho znovu ze zprávy, ve které přišel, nebo se zeptejte odesílatele.',
    },
    503: {
      title: 'Zkuste to prosím za chvíli znovu',
      text: 'Stránku teď nelze otevřít. Váš odkaz zůstává platný.',
    },
  },
  uk: {
    404: {
      title: 'За цією адресою нічого немає',
      text: 'Можливо, посилання неповне або сторінки вже не існує. Відкрийте його ще раз із повідомлення, у якому воно надійшло, або запитайте відправника.',
    },
    503: {
      title: 'Спробуйте ще раз за мить',
      text: 'Сторінку зараз не вдається відкрити. Ваше посилання залишається дійсним.',
    },
  },
}
