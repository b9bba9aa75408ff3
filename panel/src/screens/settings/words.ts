import { inBoth } from '../../language.ts'

export const words = inBoth({
  en: {
    title: 'Settings',
    account: 'Account',
    name: 'Name',
    save: 'Save',
    saved: 'Saved.',
    address: 'Public address',
    addressText:
      'Links, countdowns and the API begin with it. The people who run the installation set it (PUBLIC_URL).',
    password: 'Your password',
    current: 'Current password',
    next: 'New password',
    passwordHint:
      'At least 8 characters. You stay signed in here; everywhere else you are signed out, and your invitations no longer work.',
    change: 'Change password',
    changed: 'The password is changed. Everywhere else you are signed out.',
    wrong: 'This is not your current password.',
    users: 'Users of this account',
    you: 'You',
    since: 'since',
    remove: 'Remove',
    removeTitle: (email: string) => `Remove ${email}?`,
    removeText:
      'They are signed out at once and cannot sign in any more; their invitations no longer work. All else that they have made stays.',
    invite: 'Invite somebody',
    inviteText: 'Send this link to the person. It works once, for 7 days, and lets them choose their own password.',
    inviteName: 'Invitation link',
  },
  pl: {
    title: 'Ustawienia',
    account: 'Konto',
    name: 'Nazwa',
    save: 'Zapisz',
    saved: 'Zapisano.',
    address: 'Adres publiczny',
    addressText: 'Od niego zaczynają się linki, liczniki i API. Ustawia go osoba prowadząca instalację (PUBLIC_URL).',
    password: 'Twoje hasło',
    current: 'Obecne hasło',
    next: 'Nowe hasło',
    passwordHint:
      'Co najmniej 8 znaków. Tutaj pozostaniesz zalogowany; wszędzie indziej nastąpi wylogowanie, a Twoje zaproszenia przestaną działać.',
    change: 'Zmień hasło',
    changed: 'Hasło zostało zmienione. Wszędzie indziej nastąpiło wylogowanie.',
    wrong: 'To nie jest Twoje obecne hasło.',
    users: 'Użytkownicy tego konta',
    you: 'Ty',
    since: 'od',
    remove: 'Usuń',
    removeTitle: (email: string) => `Usunąć ${email}?`,
    removeText:
      'Zostanie od razu wylogowany i już się nie zaloguje, a jego zaproszenia przestaną działać. Wszystko inne, co utworzył, pozostanie.',
    invite: 'Zaproś osobę',
    inviteText: 'Wyślij ten link tej osobie. Działa raz, przez 7 dni, i pozwala jej wybrać własne hasło.',
    inviteName: 'Link z zaproszeniem',
  },
})
