import { hash } from 'node:crypto'
import { Deserializer, Serializer } from 'node:v8'
import type { Template } from './template.ts'

const HASH_BYTES = 32

/** The template as bytes to keep or to hand to another thread, behind a hash of them. */
export function packTemplate(template: Template): Uint8Array<ArrayBuffer> {
  // What `v8.deserialize` returns would share and keep the whole of the bytes, beside copies of its own.
  const serializer = new Serializer()
  serializer.writeHeader()
  serializer.writeValue(template)
  const body = serializer.releaseBuffer()
  const bytes = new Uint8Array(HASH_BYTES + body.length)
  bytes.set(hash('sha256', body, 'buffer'))
  bytes.set(body, HASH_BYTES)
  return bytes
}

/** Undefined if these are not the bytes of a template, or another version of Node wrote them in a way of its own. */
export function openTemplate(bytes: Uint8Array): Template | undefined {
  const body = bytes.subarray(HASH_BYTES)
  if (Buffer.compare(bytes.subarray(0, HASH_BYTES), hash('sha256', body, 'buffer')) !== 0) return undefined
  const deserializer = new Deserializer(body)
  try {
    deserializer.readHeader()
    return deserializer.readValue()
  } catch {
    return undefined
  }
}
