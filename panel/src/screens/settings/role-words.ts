import { inBoth } from '../../language.ts'

/** What users may do, and the invitations that carry it. */
export const roleWords = inBoth({
  en: {
    roles: { owner: 'Owner', member: 'Member', viewer: 'Viewer' },
    rolesText:
      'Owners do everything. Members run campaigns and leads. Viewers look at it all and change nothing; they cannot export leads.',
    role: 'Role',
    roleOf: (email: string) => `Role of ${email}`,
    roleSet: (email: string, role: string) => `${email} now has the role ${role}.`,
    ownTitle: 'Give up your own role?',
    ownText: 'You will no longer manage users, keys and webhooks. Only another owner can give the role back to you.',
    ownDo: 'Give it up',
    lastOwner: 'The only owner: an account needs one.',
    onlyOwnersUsers: 'You can see who is here; owners invite people, change roles and remove users.',
    onlyOwnersAccount: 'Owners change the name.',
    inviteEmail: 'Email (optional)',
    inviteEmailHint: 'So that you know later whom the link is for.',
    open: 'Open invitations',
    passedOn: 'Link to pass on',
    invitedBy: (email: string) => `by ${email}`,
    invited: 'made',
    until: 'works until',
    withdraw: 'Withdraw',
    withdrawOf: (name: string, role: string) => `Withdraw the invitation: ${name}, ${role}`,
    withdrawn: 'The invitation is withdrawn: its link works no more.',
  },
  pl: {
    roles: { owner: 'Właściciel', member: 'Współpracownik', viewer: 'Obserwator' },
    rolesText:
      'Właściciele mogą wszystko. Współpracownicy prowadzą kampanie i odbiorców. Obserwatorzy widzą wszystko i niczego nie zmieniają; nie mogą eksportować odbiorców.',
    role: 'Rola',
    roleOf: (email: string) => `Rola: ${email}`,
    roleSet: (email: string, role: string) => `${email} ma teraz rolę: ${role}.`,
    ownTitle: 'Oddać własną rolę?',
    ownText:
      'Nie będziesz już zarządzać użytkownikami, kluczami ani webhookami. Rolę może Ci przywrócić tylko inny właściciel.',
    ownDo: 'Oddaj',
    lastOwner: 'Jedyny właściciel: konto musi go mieć.',
    onlyOwnersUsers: 'Widzisz, kto tu jest; zapraszają, zmieniają role i usuwają użytkowników właściciele.',
    onlyOwnersAccount: 'Nazwę zmieniają właściciele.',
    inviteEmail: 'E-mail (opcjonalnie)',
    inviteEmailHint: 'Aby było potem wiadomo, dla kogo jest ten link.',
    open: 'Otwarte zaproszenia',
    passedOn: 'Link do przekazania',
    invitedBy: (email: string) => `od: ${email}`,
    invited: 'utworzone',
    until: 'działa do',
    withdraw: 'Wycofaj',
    withdrawOf: (name: string, role: string) => `Wycofaj zaproszenie: ${name}, ${role}`,
    withdrawn: 'Zaproszenie jest wycofane: link już nie działa.',
  },
})
