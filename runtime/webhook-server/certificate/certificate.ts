/** Certificates of X.509, version 3: made here, since Node reads them only. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate, its key and the authority that signed it, in PEM form. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

const hour = 3_600_000
const day = 24 * hour

/** How long a certificate holds, and how long before its end it is renewed. */
export const validMs = 365 * day
export const renewalMs = 90 * day

/**
 * A certificate for a server of these names, signed by an authority that signs nothing else: its key is forgotten. It holds
 * from an hour ago, for clocks that are behind.
 */
export function createServingCertificate(
  hosts: readonly string[],
  now: number,
): ServingCertificate {
  const [authority, server] = [newKeys(), newKeys()]
  const issuer = `${hosts[0]} authority`.slice(0, longestName)
  const common = { issuer, signer: authority, from: now - hour, until: now + validMs }
  const ca = certificate({
    ...common,
    subject: issuer,
    publicKey: authority.publicKey,
    extensions: [
      extension(identifiers.basicConstraints, sequence(yes), critical),
      extension(identifiers.keyUsage, der(0x03, Buffer.from([2, 0x04])), critical),
    ],
  })
  const cert = certificate({
    ...common,
    subject: (hosts[0] ?? '').slice(0, longestName),
    publicKey: server.publicKey,
    extensions: [
      extension(identifiers.keyUsage, der(0x03, Buffer.from([7, 0x80])), critical),
      extension(identifiers.extendedKeyUsage, sequence(identifier(identifiers.serverAuth))),
      extension(identifiers.authorityKey, sequence(der(0x80, keyIdentifier(authority.publicKey)))),
      extension(
        identifiers.alternativeNames,
        sequence(...hosts.map((host) => der(0x82, Buffer.from(host)))),
      ),
    ],
  })
  return { ca, cert, key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** The most characters that a common name has. */
const longestName = 64

const identifiers = {
  alternativeNames: '551d11',
  authorityKey: '551d23',
  basicConstraints: '551d13',
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  extendedKeyUsage: '551d25',
  keyUsage: '551d0f',
  serverAuth: '2b06010505070301',
  subjectKey: '551d0e',
}

interface Contents {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: { readonly privateKey: KeyObject }
  readonly from: number
  readonly until: number
  readonly extensions: readonly Buffer[]
}

function certificate(contents: Contents): string {
  const { subject, issuer, publicKey, signer, from, until, extensions } = contents
  const algorithm = sequence(identifier(identifiers.ecdsaWithSha256))
  const subjectKey = extension(identifiers.subjectKey, der(0x04, keyIdentifier(publicKey)))
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    algorithm,
    commonName(issuer),
    sequence(time(from), time(until)),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectKey, ...extensions)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, signer.privateKey))
  const text = sequence(body, algorithm, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** Positive, and never zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
}

/** One element of DER: a tag, a length, the parts of its content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes)
}

function identifier(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function commonName(name: string): Buffer {
  return sequence(
    der(0x31, sequence(identifier(identifiers.commonName), der(0x0c, Buffer.from(name)))),
  )
}

const yes = der(0x01, Buffer.from([0xff]))
const critical = true

function extension(oid: string, value: Buffer, isCritical = false): Buffer {
  return sequence(identifier(oid), ...(isCritical ? [yes] : []), der(0x04, value))
}

/** With two digits of the year up to 2049, with four from then on. */
function time(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')
  const short = text < '2050'
  return der(short ? 0x17 : 0x18, Buffer.from(short ? text.slice(2) : text))
}
