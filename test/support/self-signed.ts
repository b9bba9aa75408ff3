// A certificate for 127.0.0.1 and changes.example.com that nobody has signed but itself (X.509, RFC 5280), and its key:
// no key stands in Git.
import { generateKeyPairSync, sign } from 'node:crypto'

const hex = (digits: string) => Buffer.from(digits, 'hex')

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  // In as few bytes as it takes; none here has more than two.
  const bytes = body.length < 256 ? [body.length] : [body.length >> 8, body.length & 0xff]
  const size = body.length < 128 ? bytes : [0x80 + bytes.length, ...bytes]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

/** PEM: the certificate, then the key. */
export function selfSigned(): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algorithm = der(0x30, hex('06032b6570'))
  const name = der(0x30, der(0x31, der(0x30, hex('0603550403'), der(0x0c, Buffer.from('localhost')))))
  const times = der(0x30, ...['200101000000Z', '491231235959Z'].map((time) => der(0x17, Buffer.from(time))))
  const names = der(0x30, hex('87047f000001'), der(0x82, Buffer.from('changes.example.com')))
  const holder = der(0x30, hex('0603551d11'), der(0x04, names))
  const said = der(
    0x30,
    ...[hex('a003020102'), hex('020101'), algorithm, name, times, name],
    ...[publicKey.export({ type: 'spki', format: 'der' }), der(0xa3, der(0x30, holder))],
  )
  const certificate = der(0x30, said, algorithm, der(0x03, Buffer.from([0]), sign(null, said, privateKey)))
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n${key}`
}
