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
    code: 'Code',
    codeHint: 'Six digits from the app on your phone, or a recovery code.',
    startAgain: 'Start again',
    codeLost:
      'Lost your phone and the recovery codes? The people who run this installation take the second factor away with “lastcall user reset-factor”.',
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
    code: 'Kod',
    codeHint: 'Sześć cyfr z aplikacji w telefonie albo kod zapasowy.',
    startAgain: 'Zacznij od nowa',
    codeLost:
      'Nie masz telefonu ani kodów zapasowych? Osoba, która prowadzi tę instalację, usunie drugi składnik poleceniem „lastcall user reset-factor”.',
    toSignIn: 'Przejdź do logowania',
  },
})
