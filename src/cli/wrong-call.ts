import { Refused } from '../store/errors.ts'

/** The call or its input is wrong: one line on standard error, exit 2. */
export class WrongCall extends Error {
  override name = 'WrongCall'
}

/** For `catch`: what the store refuses is a wrong call. `name` is the argument that is at fault. */
export const wrongIn =
  (name: string) =>
  (error: unknown): never => {
    throw error instanceof Refused ? new WrongCall(`${name}: ${error.message}`) : error
  }
