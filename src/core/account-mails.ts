// Mails to the people who use the panel, in its languages: text and simple HTML, with nothing that is fetched.
import { escaped } from './html.ts'

export const panelLanguages = ['en', 'pl'] as const
export type PanelLanguage = (typeof panelLanguages)[number]

type Words = { subject: string; text: string; action: string; note: string }
type AccountMail = { subject: string; text: string; html: string }

/** `url` is a link that works once and for an hour. */
export function resetMail(language: PanelLanguage, url: string): AccountMail {
  const words: Record<PanelLanguage, Words> = {
    en: {
      subject: 'Set a new password for Lastcall',
      text: 'Somebody has asked for a new password for this email. If it was you, set it here:',
      action: 'Set a new password',
      note: 'The link works once, for an hour. If it was not you, do nothing: your password stays.',
    },
    pl: {
      subject: 'Ustaw nowe hasło do Lastcall',
      text: 'Ktoś poprosił o nowe hasło dla tego adresu e-mail. Jeśli to Ty, ustaw je tutaj:',
      action: 'Ustaw nowe hasło',
      note: 'Link działa raz, przez godzinę. Jeśli to nie Ty, nic nie rób: Twoje hasło pozostaje bez zmian.',
    },
  }
  return mailOf(words[language], url)
}

/**
 * `url` is a link that works once and for seven days. The account's name is not in it: its owner chooses that, and could
 * write to anybody in the operator's name.
 */
export function invitationMail(language: PanelLanguage, url: string, from: string): AccountMail {
  const words: Record<PanelLanguage, Words> = {
    en: {
      subject: 'You are invited to an account in Lastcall',
      text: `${from} invites you to their account in Lastcall. Join it here:`,
      action: 'Join the account',
      note: 'The link works once, for 7 days. If you do not know who sent it, do nothing.',
    },
    pl: {
      subject: 'Zaproszenie do konta w Lastcall',
      text: `${from} zaprasza Cię do swojego konta w Lastcall. Dołącz tutaj:`,
      action: 'Dołącz do konta',
      note: 'Link działa raz, przez 7 dni. Jeśli nie wiesz, kto go wysłał, nic nie rób.',
    },
  }
  return mailOf(words[language], url)
}

/** The text may break anywhere: an email has no blanks, and may be wider than a phone. */
function mailOf({ subject, text, action, note }: Words, url: string): AccountMail {
  return {
    subject,
    text: `${text}\n\n${url}\n\n${note}\n`,
    html: `<p style="overflow-wrap: anywhere">${escaped(text)}</p>\n<p><a href="${escaped(url)}">${action}</a></p>\n<p>${note}</p>\n`,
  }
}
