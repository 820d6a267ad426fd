/** A certificate authority for tests: keys and certificates are made when they are asked for, none is kept in a file. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** What a TLS server shows, in PEM form. */
export interface ServerCertificate {
  readonly key: string
  readonly cert: string
}

export interface Authority {
  /** The root certificate in PEM form. */
  readonly root: string
  /** A certificate for these DNS names, and for 127.0.0.1 unless told otherwise; one that has run out if asked for. */
  issue(
    names: readonly string[],
    options?: { readonly expired?: boolean; readonly local?: boolean },
  ): ServerCertificate
}

/** A new authority, unknown to everybody who is not shown its root. */
export function createAuthority(name = 'test authority'): Authority {
  const own = newKeys()
  const root = certificate({
    subject: name,
    issuer: name,
    publicKey: own.publicKey,
    signer: own.privateKey,
    until: future,
    extensions: [basicConstraints],
  })
  return {
    root,
    issue(names, { expired = false, local = true } = {}) {
      const keys = newKeys()
      const cert = certificate({
        subject: names[0] ?? 'localhost',
        issuer: name,
        publicKey: keys.publicKey,
        signer: own.privateKey,
        until: expired ? past : future,
        extensions: [alternativeNames(names, local)],
      })
      return { cert, key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
  }
}

interface Contents {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly until: string
  readonly extensions: readonly Buffer[]
}

const [since, past, future] = ['200101000000Z', '210101000000Z', '491231235959Z']
let serial = 1

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** An X.509 certificate of version 3, signed with ECDSA and SHA-256. */
function certificate({ subject, issuer, publicKey, signer, until, extensions }: Contents): string {
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(der(0x17, Buffer.from(since)), der(0x17, Buffer.from(until))),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, signer))
  const text = sequence(body, ecdsaWithSha256, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

/** One element of DER: a tag, a length, the parts of its content. */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function identifier(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'))

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(name)))))
}

const yes = der(0x01, Buffer.from([0xff]))
const basicConstraints = sequence(identifier('551d13'), yes, der(0x04, sequence(yes)))

function alternativeNames(names: readonly string[], local: boolean): Buffer {
  const dns = names.map((name) => der(0x82, Buffer.from(name)))
  const addresses = local ? [der(0x87, Buffer.from([127, 0, 0, 1]))] : []
  return sequence(identifier('551d11'), der(0x04, sequence(...dns, ...addresses)))
}
