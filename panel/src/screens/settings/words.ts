import { inBoth } from '../../language.ts'

export const words = inBoth({
  en: {
    title: 'Settings',
    partsLabel: 'Parts of the settings',
    parts: { account: 'Account', users: 'Users', security: 'Your sign-in', audit: 'Audit log' },
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
    setByMail: 'You came by single sign-on and have no password. To set one, sign out and choose “Forgot password?”.',
    setByOperator:
      'You came by single sign-on and have no password. The people who run this installation can set one with “lastcall user reset”.',
    noPasswords: 'Passwords are switched off here: everybody signs in with single sign-on.',
    users: 'Users of this account',
    you: 'You',
    since: 'since',
    remove: 'Remove',
    removeTitle: (email: string) => `Remove ${email}?`,
    removeText:
      'They are signed out at once and cannot sign in any more; their invitations no longer work. Everything else that they made stays.',
    removed: (email: string) => `${email} is removed.`,
    invite: 'Invite somebody',
    inviteText:
      'Send this link to the person. It works once, for 7 days, and lets them choose their own password. It is shown only now.',
    inviteTaken: 'This person has access to this account already.',
    inviteName: 'Invitation link',
    inviteByMail: 'The link goes there by mail.',
    inviteByProvider: 'Single sign-on with this email needs no link.',
    inviteMail: {
      sent: 'The link is on its way by mail.',
      failed: 'The mail server did not take the mail, so nothing was sent. Pass the link on yourself.',
    },
  },
  pl: {
    title: 'Ustawienia',
    partsLabel: 'Części ustawień',
    parts: { account: 'Konto', users: 'Użytkownicy', security: 'Twoje logowanie', audit: 'Dziennik' },
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
      'Co najmniej 8 znaków. Ta sesja pozostanie otwarta; wszystkie inne się zakończą, a Twoje zaproszenia przestaną działać.',
    change: 'Zmień hasło',
    changed: 'Hasło zostało zmienione. Wszystkie inne sesje są zakończone.',
    wrong: 'To nie jest Twoje obecne hasło.',
    setByMail:
      'Korzystasz z logowania jednokrotnego i nie masz hasła. Aby je ustawić, wyloguj się i wybierz „Nie pamiętasz hasła?”.',
    setByOperator:
      'Korzystasz z logowania jednokrotnego i nie masz hasła. Osoba, która prowadzi tę instalację, może je ustawić poleceniem „lastcall user reset”.',
    noPasswords: 'Hasła są tu wyłączone: wszyscy logują się przez logowanie jednokrotne (SSO).',
    users: 'Użytkownicy tego konta',
    you: 'Ty',
    since: 'od',
    remove: 'Usuń',
    removeTitle: (email: string) => `Usunąć ${email}?`,
    removeText:
      'Ta osoba zostanie od razu wylogowana i już się nie zaloguje, a jej zaproszenia przestaną działać. Wszystko inne, co utworzyła, pozostanie.',
    removed: (email: string) => `Usunięto: ${email}.`,
    invite: 'Zaproś osobę',
    inviteText:
      'Wyślij ten link tej osobie. Działa raz, przez 7 dni, i pozwala jej wybrać własne hasło. Zobaczysz go tylko teraz.',
    inviteTaken: 'Ta osoba ma już dostęp do tego konta.',
    inviteName: 'Link z zaproszeniem',
    inviteByMail: 'Link zostanie tam wysłany.',
    inviteByProvider: 'Logowanie jednokrotne (SSO) z tym adresem nie wymaga linku.',
    inviteMail: {
      sent: 'E-mail z linkiem jest już w drodze.',
      failed: 'Serwer poczty nie przyjął e-maila, więc nic nie wysłano. Przekaż link samodzielnie.',
    },
  },
})
