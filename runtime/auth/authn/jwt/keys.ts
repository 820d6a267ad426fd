import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** The algorithms of signatures by a pair of keys. Those with a shared secret, and none at all, are never accepted. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
] as const

/** An algorithm of signatures. */
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

/** A public key that tokens are verified with. */
export interface VerificationKey {
  /** Digest of the key, by which the header of a token names it. */
  readonly kid: string
  readonly algorithm: SignatureAlgorithm
  readonly key: KeyObject
}

/** A private key that tokens are signed with. */
export interface SigningKey extends VerificationKey {}

/** Keys that were found in a text, and what is wrong with it. */
export interface ParsedKeys<K> {
  readonly keys: readonly K[]
  readonly problems: readonly string[]
}

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----[^-]*-----END \1-----/g

/** The RSA and elliptic curve keys of a text in PEM, public or private: the public one of each (N-08). Other blocks are passed over. */
export function parseVerificationKeys(pem: string): ParsedKeys<VerificationKey> {
  const found = blocksOf(pem).flatMap(({ label, text }) => {
    if (label.endsWith('PRIVATE KEY')) return [tried(() => createPublicKey(createPrivateKey(text)))]
    const isPublic = label.endsWith('PUBLIC KEY') || label === 'CERTIFICATE'
    return isPublic ? [tried(() => createPublicKey(text))] : []
  })
  return described(found, 'no public or private key of RSA or an elliptic curve')
}

/** The first private key of a text in PEM. */
export function parseSigningKey(pem: string): ParsedKeys<SigningKey> {
  const private_ = blocksOf(pem).filter(({ label }) => label.endsWith('PRIVATE KEY'))
  const found = private_.slice(0, 1).map(({ text }) => tried(() => createPrivateKey(text)))
  return described(found, 'no private key of RSA or an elliptic curve')
}

interface Block {
  readonly label: string
  readonly text: string
}

function blocksOf(pem: string): readonly Block[] {
  return [...pem.matchAll(block)].map(([text, label = '']) => ({ label, text }))
}

/** The key, or why there is none; what a parser says could hold a part of the key, so that nothing of it is told. */
function tried(read: () => KeyObject): KeyObject | string {
  try {
    return read()
  } catch {
    return 'a key cannot be read'
  }
}

function described(
  found: readonly (KeyObject | string)[],
  none: string,
): ParsedKeys<VerificationKey> {
  const keys: VerificationKey[] = []
  const problems: string[] = []
  for (const one of found) {
    const key = typeof one === 'string' ? one : verificationKeyOf(one)
    if (typeof key === 'string') problems.push(key)
    else keys.push(key)
  }
  return keys.length + problems.length === 0 ? { keys, problems: [none] } : { keys, problems }
}

/** A key with its name and its algorithm, or why it cannot sign tokens. */
export function verificationKeyOf(key: KeyObject): VerificationKey | string {
  const algorithm = algorithmOf(key)
  if (!isAlgorithm(algorithm)) return algorithm
  const asPublic = key.type === 'private' ? createPublicKey(key) : key
  const der = asPublic.export({ type: 'spki', format: 'der' })
  return { kid: createHash('sha256').update(der).digest('base64url'), algorithm, key }
}

const curves: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
])

function algorithmOf(key: KeyObject): SignatureAlgorithm | string {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'rsa') {
    return modulusLength >= 2048
      ? 'RS256'
      : `a key of RSA has ${modulusLength} bits, but at least 2048 are needed`
  }
  if (key.asymmetricKeyType !== 'ec') return `keys of type ${key.asymmetricKeyType} sign no tokens`
  return curves.get(namedCurve) ?? `the curve ${namedCurve} is none of P-256, P-384 and P-521`
}

/** True for a name of `signatureAlgorithms`. */
export function isAlgorithm(name: string): name is SignatureAlgorithm {
  return (signatureAlgorithms as readonly string[]).includes(name)
}

/** What others may know of a key: they can verify by it, and sign nothing. */
export function publicPartOf(key: SigningKey): VerificationKey {
  return { ...key, key: createPublicKey(key.key) }
}

/** A public key as sets of keys have it (RFC 7517), its members in the order of the public API server. */
export function jwkOf({ kid, algorithm, key }: VerificationKey): object {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' })
  const curve = crv === undefined ? {} : { crv }
  return { use: 'sig', kty, kid, ...curve, alg: algorithm, ...(kty === 'EC' ? { x, y } : { n, e }) }
}
