// What a user of the panel may do in the account.

/** Each may do what those before it may. */
export const roles = ['viewer', 'member', 'owner'] as const
export type Role = (typeof roles)[number]

/** Whether somebody with this role may do what `needed` may. */
export const mayAs = (needed: Role, role: Role) => roles.indexOf(role) >= roles.indexOf(needed)
