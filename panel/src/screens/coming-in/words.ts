import type { ProviderRefusal } from '../../../../src/http/panel/provider-callback.ts'
import { inBoth } from '../../language.ts'

/** Why somebody who comes back from the provider is not let in, and what to do. */
type Refused = Record<ProviderRefusal, string>

export const words = inBoth({
  en: {
    signIn: 'Sign in',
    wrongByMail: 'Wrong email or password. A new password can be set by email.',
    email: 'Email',
    password: 'Password',
    passwordHint: 'At least 8 characters. Long and unusual beats complicated.',
    accountName: 'Name of the account',
    accountHint: 'Your company or project; you can change it later.',
    setup: 'Set up Lastcall',
    setupText: 'This makes an account and its first user.',
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
      'Lost your phone and the recovery codes? The people who run this installation can remove the second factor with “lastcall user reset-factor”.',
    toSignIn: 'Go to sign in',
    stillIn: (email: string) => `You are still signed in as ${email}.`,
    toPanel: 'Go to the panel',
    or: 'or',
    byProvider: 'Sign in with single sign-on',
    joinByProvider: 'Join with single sign-on',
    forgot: 'Forgot password?',
    reset: 'Set a new password',
    resetText: 'Type your email. If it has a user here, a link comes by mail that works once, for an hour.',
    resetSend: 'Send the link',
    resetSent:
      'If this email has a user here, a mail with a link is on its way. Look into your mailbox, and into spam too.',
    resetTooOften: 'Links were asked for too often. Look into your mailbox; if no mail came, try again in an hour.',
    resetNewText: (email: string) =>
      `Choose a new password for ${email}. You are then signed out everywhere, and your invitations no longer work. A second factor stays on.`,
    newPassword: 'New password',
    resetSet: 'Set the password',
    resetDone: 'Your new password is set. Sign in with it.',
    refused: {
      PROVIDER_DOWN: 'Single sign-on does not answer at the moment. Try again in a few minutes.',
      PROVIDER_REFUSED: 'Single sign-on did not let you in. Try again, or ask the people who run it.',
      PROVIDER_INVALID: 'The answer from single sign-on could not be verified, so nobody was signed in. Try again.',
      TOO_OLD: 'Signing in took too long, or was begun in another window. Try again.',
      EMAIL_NOT_VERIFIED:
        'Single sign-on does not say that your email is verified. Verify it there, or ask the people who run it.',
      EMAIL_UNUSABLE:
        'Your email at single sign-on is verified, but Lastcall cannot use it: an email here has letters from a to z and no blanks around it, and at most 254 characters. Ask the people who run single sign-on for another one.',
      NOT_INVITED:
        'Nobody has invited you yet, or several accounts have. Open the link of your invitation, or ask an owner of the account for one.',
      OTHER_IDENTITY:
        'The user with your email signs in with another identity. Sign in with that one, or ask an owner of the account.',
      EMAIL_TAKEN:
        'You have a user already, and an email works in one account only. If it is the account of the invitation, sign in here. If it is another, join with another email, or ask an owner of that account to remove you first.',
      LINK_USED_UP: 'This link has been used or is too old. Ask for a new one.',
      SERVICE_UNAVAILABLE: 'The service is busy or its database does not answer. Try again in a moment.',
    } satisfies Refused,
  },
  pl: {
    signIn: 'Zaloguj się',
    wrongByMail: 'Błędny adres e-mail lub hasło. Nowe hasło można ustawić przez e-mail.',
    email: 'Adres e-mail',
    password: 'Hasło',
    passwordHint: 'Co najmniej 8 znaków. Długie i nietypowe jest lepsze niż skomplikowane.',
    accountName: 'Nazwa konta',
    accountHint: 'Twoja firma lub projekt; nazwę można później zmienić.',
    setup: 'Uruchom Lastcall',
    setupText: 'Tu powstanie konto i jego pierwszy użytkownik.',
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
    stillIn: (email: string) => `Nadal trwa Twoja sesja jako ${email}.`,
    toPanel: 'Przejdź do panelu',
    or: 'lub',
    byProvider: 'Zaloguj się przez SSO',
    joinByProvider: 'Dołącz przez SSO',
    forgot: 'Nie pamiętasz hasła?',
    reset: 'Ustaw nowe hasło',
    resetText:
      'Wpisz swój adres e-mail. Jeśli należy do użytkownika, przyjdzie na niego link, który działa raz, przez godzinę.',
    resetSend: 'Wyślij link',
    resetSent:
      'Jeśli ten adres należy do użytkownika, e-mail z linkiem jest już w drodze. Sprawdź skrzynkę, także spam.',
    resetTooOften: 'Zbyt wiele próśb o link. Sprawdź skrzynkę; jeśli nic nie przyszło, spróbuj ponownie za godzinę.',
    resetNewText: (email: string) =>
      `Wybierz nowe hasło dla ${email}. Wszystkie otwarte sesje się zakończą, a Twoje zaproszenia przestaną działać. Drugi składnik pozostaje włączony.`,
    newPassword: 'Nowe hasło',
    resetSet: 'Ustaw hasło',
    resetDone: 'Nowe hasło jest ustawione. Użyj go do zalogowania się.',
    refused: {
      PROVIDER_DOWN: 'Logowanie jednokrotne w tej chwili nie odpowiada. Spróbuj za kilka minut.',
      PROVIDER_REFUSED:
        'Logowanie jednokrotne nie wpuściło Cię. Spróbuj ponownie albo zapytaj osobę, która je prowadzi.',
      PROVIDER_INVALID:
        'Nie można sprawdzić odpowiedzi logowania jednokrotnego, więc nikt nie został zalogowany. Spróbuj ponownie.',
      TOO_OLD: 'Logowanie trwało zbyt długo albo rozpoczęto je w innym oknie. Spróbuj ponownie.',
      EMAIL_NOT_VERIFIED:
        'Logowanie jednokrotne nie potwierdza Twojego adresu e-mail. Potwierdź go tam albo zapytaj osobę, która je prowadzi.',
      EMAIL_UNUSABLE:
        'Logowanie jednokrotne potwierdza Twój adres e-mail, ale Lastcall nie może go użyć: adres ma tu litery od a do z, bez polskich znaków i bez spacji wokół, i co najwyżej 254 znaki. Poproś o inny osobę, która prowadzi logowanie jednokrotne.',
      NOT_INVITED:
        'Nikt Cię jeszcze nie zaprosił albo zaprosiło Cię kilka kont. Otwórz link z zaproszenia albo poproś o nie właściciela konta.',
      OTHER_IDENTITY:
        'Użytkownik z Twoim adresem loguje się przez inne konto SSO. Zaloguj się przez tamto albo zapytaj właściciela konta.',
      EMAIL_TAKEN:
        'Masz już dostęp, a adres e-mail działa tylko w jednym koncie. Jeśli to konto z zaproszenia, zaloguj się tutaj. Jeśli inne, dołącz z innym adresem albo poproś właściciela tamtego konta, aby najpierw Cię usunął.',
      LINK_USED_UP: 'Ten link został już użyty lub jest zbyt stary. Poproś o nowy.',
      SERVICE_UNAVAILABLE: 'Usługa jest zajęta albo jej baza danych nie odpowiada. Spróbuj za chwilę.',
    } satisfies Refused,
  },
})
