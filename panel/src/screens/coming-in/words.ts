import { inBoth } from '../../language.ts'

export const words = inBoth({
  en: {
    signIn: 'Sign in',
    email: 'Email',
    password: 'Password',
    passwordHint: 'At least 8 characters. Long and unusual beats complicated.',
    accountName: 'Name of the account',
    accountHint: 'Your company or project; you can change it later.',
    setup: 'Set up Lastcall',
    setupText: 'This makes the first account and its first user.',
    setupDone: 'Create account',
    join: 'Join the account',
    joinText: (account: string) => `You were invited to “${account}”. Choose how you will sign in.`,
    joinDone: 'Join',
    noUser:
      'There is no user yet. The people who run this installation get a link for the first one with the command “lastcall setup-link”.',
    forgotten:
      'Forgotten your password? Ask the people who run this installation: they set a new one with “lastcall user reset”.',
    toSignIn: 'Go to sign in',
  },
  pl: {
    signIn: 'Zaloguj się',
    email: 'Adres e-mail',
    password: 'Hasło',
    passwordHint: 'Co najmniej 8 znaków. Długie i nietypowe jest lepsze niż skomplikowane.',
    accountName: 'Nazwa konta',
    accountHint: 'Twoja firma lub projekt; nazwę można później zmienić.',
    setup: 'Uruchom Lastcall',
    setupText: 'Tu powstanie pierwsze konto i jego pierwszy użytkownik.',
    setupDone: 'Utwórz konto',
    join: 'Dołącz do konta',
    joinText: (account: string) => `Zaproszono Cię do konta „${account}”. Wybierz, jak będziesz się logować.`,
    joinDone: 'Dołącz',
    noUser:
      'Nie ma jeszcze żadnego użytkownika. Osoba, która prowadzi tę instalację, otrzyma link dla pierwszego poleceniem „lastcall setup-link”.',
    forgotten:
      'Nie pamiętasz hasła? Osoba, która prowadzi tę instalację, ustawi nowe poleceniem „lastcall user reset”.',
    toSignIn: 'Przejdź do logowania',
  },
})
