/** Service account tokens of every sort, good and bad, and a store of what they name. */
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactSign } from 'jose'
import {
  type IdentitySource,
  publicPartOf,
  type SigningKey,
  type StoredAccount,
  type StoredIdentity,
  type StoredSecret,
  verificationKeyOf,
} from '../../runtime/auth/auth.ts'
import { invariant } from '../../runtime/kernel/errors/invariant.ts'

/** A new key of one of the sorts that sign tokens. */
export function newSigningKey(sort: 'RSA' | 'P-256' | 'P-384' | 'P-521' = 'P-256'): SigningKey {
  const pair =
    sort === 'RSA'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: sort })
  const key = verificationKeyOf(pair.privateKey)
  invariant(typeof key !== 'string', 'the key is of a known sort')
  return key
}

/** A token with these claims, signed. */
export function signedToken(
  { algorithm, kid, key }: SigningKey,
  claims: object | string,
  header: object = {},
): Promise<string> {
  const text = typeof claims === 'string' ? claims : JSON.stringify(claims)
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: algorithm, kid, ...header })
    .sign(key)
}

/** A part of a token. */
export function part(value: object | string): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  )
}

/** A token whose signature is made with the public key as if it were a shared secret. */
export function confusedToken(key: SigningKey, claims: object): string {
  const secret = publicPartOf(key).key.export({ type: 'spki', format: 'pem' })
  const head = `${part({ alg: 'HS256', kid: key.kid })}.${part(claims)}`
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
}

/** The public key in PEM. */
export function publicPem(key: SigningKey): string {
  return publicPartOf(key).key.export({ type: 'spki', format: 'pem' }).toString()
}

/** The private key in PEM. */
export function privatePem({ key }: { readonly key: KeyObject }): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Objects that tokens name, by `namespace/name`. */
export interface Identities {
  readonly accounts: Map<string, StoredAccount>
  readonly pods: Map<string, StoredIdentity>
  readonly nodes: Map<string, StoredIdentity>
  readonly secrets: Map<string, StoredSecret>
  readonly uses: string[]
}

/** A store of identities that tests fill. */
export function identities(): Identities & { readonly source: IdentitySource } {
  const all: Identities = {
    accounts: new Map(),
    pods: new Map(),
    nodes: new Map(),
    secrets: new Map(),
    uses: [],
  }
  const source: IdentitySource = {
    serviceAccount: (namespace, name) => all.accounts.get(`${namespace}/${name}`),
    pod: (namespace, name) => all.pods.get(`${namespace}/${name}`),
    node: (name) => all.nodes.get(name),
    secret: (namespace, name) => all.secrets.get(`${namespace}/${name}`),
    noteUse: (namespace, name, uid, day) =>
      void all.uses.push(`${namespace}/${name} ${uid} ${day}`),
  }
  return { ...all, source }
}
