// The sentences of the widget, in each language. A page fetches those of its own; the English ones stand in the widget too.
// Behind `ends` stand units as browsers name them, in the nominative: 3 Tage, 1 hodina, 1 година.
import type { MailLanguage } from '../../core/mail-language.ts'

type WidgetWords = Record<'ends' | 'thanks' | 'invalid' | 'closed' | 'busy' | 'failed', string>

export const widgetWords: Record<MailLanguage, WidgetWords> = {
  en: {
    ends: 'Offer ends in',
    thanks: 'Thank you. You are registered.',
    invalid: 'Please enter a valid email address.',
    closed: 'This offer is not available at the moment.',
    busy: 'Too many attempts. Please try again later.',
    failed: 'That did not work. Please try again in a moment.',
  },
  pl: {
    ends: 'Do końca oferty',
    thanks: 'Dziękujemy. Adres został zapisany.',
    invalid: 'Podaj poprawny adres e-mail.',
    closed: 'Ta oferta jest teraz niedostępna.',
    busy: 'Za dużo prób. Spróbuj ponownie później.',
    failed: 'Nie udało się. Spróbuj ponownie za chwilę.',
  },
  de: {
    ends: 'Angebot gilt noch',
    thanks: 'Vielen Dank. Ihre Adresse ist eingetragen.',
    invalid: 'Bitte geben Sie eine gültige E-Mail-Adresse ein.',
    closed: 'Dieses Angebot ist zurzeit nicht verfügbar.',
    busy: 'Zu viele Versuche. Bitte versuchen Sie es später noch einmal.',
    failed: 'Das hat nicht geklappt. Bitte versuchen Sie es gleich noch einmal.',
  },
  es: {
    ends: 'La oferta termina en',
    thanks: 'Gracias. Su dirección ha quedado registrada.',
    invalid: 'Escriba una dirección de correo válida.',
    closed: 'Esta oferta no está disponible en este momento.',
    busy: 'Demasiados intentos. Inténtelo de nuevo más tarde.',
    failed: 'No ha funcionado. Inténtelo de nuevo dentro de un momento.',
  },
  fr: {
    ends: 'L’offre se termine dans',
    thanks: 'Merci. Votre adresse est enregistrée.',
    invalid: 'Veuillez saisir une adresse e-mail valide.',
    closed: 'Cette offre n’est pas disponible pour le moment.',
    busy: 'Trop de tentatives. Veuillez réessayer plus tard.',
    failed: 'Cela n’a pas fonctionné. Veuillez réessayer dans un instant.',
  },
  it: {
    ends: 'L’offerta termina tra',
    thanks: 'Grazie. Il suo indirizzo è stato registrato.',
    invalid: 'Inserisca un indirizzo e-mail valido.',
    closed: 'Questa offerta al momento non è disponibile.',
    busy: 'Troppi tentativi. Riprovi più tardi.',
    failed: 'Non ha funzionato. Riprovi tra un momento.',
  },
  nl: {
    ends: 'Aanbieding eindigt over',
    thanks: 'Bedankt. Uw adres is geregistreerd.',
    invalid: 'Vul een geldig e-mailadres in.',
    closed: 'Deze aanbieding is op dit moment niet beschikbaar.',
    busy: 'Te veel pogingen. Probeer het later opnieuw.',
    failed: 'Dat is niet gelukt. Probeer het zo meteen opnieuw.',
  },
  pt: {
    ends: 'A oferta termina em',
    thanks: 'Obrigado. O seu endereço foi guardado.',
    invalid: 'Indique um endereço de e-mail válido.',
    closed: 'Esta oferta não está disponível neste momento.',
    busy: 'Demasiadas tentativas. Tente novamente mais tarde.',
    failed: 'Não funcionou. Tente novamente daqui a pouco.',
  },
  cs: {
    ends: 'Do konce nabídky',
    thanks: 'Děkujeme. Vaše adresa je zapsána.',
    invalid: 'Zadejte platnou e-mailovou adresu.',
    closed: 'Tato nabídka teď není dostupná.',
    busy: 'Příliš mnoho pokusů. Zkuste to prosím později.',
    failed: 'Nepodařilo se. Zkuste to prosím za chvíli znovu.',
  },
  uk: {
    ends: 'До кінця пропозиції',
    thanks: 'Дякуємо. Вашу адресу записано.',
    invalid: 'Введіть правильну адресу електронної пошти.',
    closed: 'Ця пропозиція зараз недоступна.',
    busy: 'Забагато спроб. Спробуйте пізніше.',
    failed: 'Не вдалося. Спробуйте ще раз за мить.',
  },
}
