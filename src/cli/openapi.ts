import { publicUrl } from '../config.ts'
import { description } from '../http/public/description.ts'
import { basePath } from '../http/public/schemas.ts'
import { readArguments } from './arguments.ts'
import { type Command, publicAddress, warnOfAddress } from './command.ts'
import { WrongCall } from './wrong-call.ts'

export const openapi: Command = async (args) => {
  const { options } = readArguments(args, { server: serverUrl })
  if (options.server === undefined) warnOfAddress()
  return description(options.server ?? publicAddress() + basePath)
}

const serverUrl = (text: string): string => {
  const url = publicUrl(text)
  if (url === undefined) {
    throw new WrongCall('--server: must be the whole base address, such as https://example.com/api/public/v1')
  }
  return url
}
