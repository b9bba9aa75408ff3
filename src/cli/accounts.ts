import { createKey } from '../access/keys.ts'
import { integer } from '../config.ts'
import { keyHint } from '../core/api-key.ts'
import { formatInstant, instantOrNull } from '../core/instant.ts'
import { type Key, type Scope, scopes } from '../store/model.ts'
import { idNumber, nameText, need, readArguments, trueOrFalse } from './arguments.ts'
import { type Command, commandActor, withAccount, withStore } from './command.ts'
import { WrongCall, wrongIn } from './wrong-call.ts'

export const createAccount: Command = async (args) => {
  const { options } = readArguments(args, { name: nameText })
  const name = need(options.name, '--name')
  return withStore((store) => store.configuration.createAccount(name, commandActor()), { mayCreate: true })
}

export const listAccounts: Command = async (args) => {
  readArguments(args, {})
  return withStore((store) => store.configuration.listAccounts())
}

const rateLimit = (text: string): number | null => {
  const limit = text === 'default' ? null : integer(text, 1, 1_000_000_000)
  if (limit === undefined) throw new WrongCall('--rate-limit: must be an integer from 1 to 1000000000, or default')
  return limit
}

export const setAccount: Command = async (args) => {
  const { options, positionals } = readArguments(
    args,
    { suspended: trueOrFalse, 'countdown-tools': trueOrFalse, 'rate-limit': rateLimit },
    'ID',
  )
  const id = idNumber(positionals[0], 'ID')
  const changes = {
    ...(options.suspended !== undefined && { suspended: options.suspended }),
    ...(options['countdown-tools'] !== undefined && { countdownTools: options['countdown-tools'] }),
    ...(options['rate-limit'] !== undefined && { rateLimit: options['rate-limit'] }),
  }
  return withStore(async (store) => {
    const account = await store.configuration.updateAccount(id, changes, commandActor())
    if (account === undefined) throw new WrongCall(`ID: there is no account ${id}`)
    return account
  })
}

const scopesText = (text: string): Scope[] => {
  const given = scopes.filter((scope) => text.split(',').includes(scope))
  if (given.length !== text.split(',').length) {
    throw new WrongCall(`--scope: must be ${scopes.join(', ')} or ${scopes.join(',')}`)
  }
  return given
}

export const createKeyCommand: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber, name: nameText, scope: scopesText })
  const name = need(options.name, '--name')
  return withAccount(options.account, (store, accountId) =>
    createKey(store, accountId, name, commandActor(), options.scope).catch(wrongIn('--account')),
  )
}

export const listKeys: Command = async (args) => {
  const { options } = readArguments(args, { account: idNumber })
  return withAccount(options.account, async ({ configuration }, accountId) =>
    (await configuration.listKeys(accountId)).map(shown),
  )
}

export const renameKey: Command = async (args) => {
  const { options, positionals } = readArguments(args, { name: nameText }, 'ID')
  const name = need(options.name, '--name')
  const id = positionals[0]
  return withStore(async (store) => shown(known(await store.configuration.renameKey(id, name, commandActor()))))
}

export const revokeKey: Command = async (args) => {
  const { positionals } = readArguments(args, {}, 'ID')
  const id = positionals[0]
  return withStore(async (store) => shown(known(await store.configuration.revokeKey(id, commandActor()))))
}

function known(key: Key | undefined): Key {
  if (key === undefined) throw new WrongCall('ID: there is no key with this id')
  return key
}

function shown({ id, accountId, name, scopes, createdAt, lastUsedAt, revokedAt }: Key) {
  return {
    id,
    hint: keyHint(id),
    accountId,
    name,
    ...(scopes.length > 0 && { scopes }),
    createdAt: formatInstant(createdAt),
    lastUsedAt: instantOrNull(lastUsedAt),
    revokedAt: instantOrNull(revokedAt),
  }
}
