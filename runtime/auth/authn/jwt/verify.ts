import type { KeyObject } from 'node:crypto'
import type { CryptoKey } from 'jose'
import { type Claims, claimsOf } from './compact-token.ts'
import type { SignatureAlgorithm } from './keys.ts'

/** A key with the algorithm that it may be used with: the token does not choose. */
export interface KeyForAlgorithm {
  readonly algorithm: SignatureAlgorithm
  readonly key: KeyObject | CryptoKey
}

/** The claims of a token that was signed with one of the keys; undefined if none of them did. */
export async function verifiedClaims(
  token: string,
  keys: readonly KeyForAlgorithm[],
): Promise<Claims | undefined> {
  const { compactVerify } = await import('jose')
  for (const { algorithm, key } of keys) {
    const payload = await compactVerify(token, key, { algorithms: [algorithm] }).then(
      (verified) => verified.payload,
      () => undefined,
    )
    if (payload !== undefined) return claimsOf(payload)
  }
  return undefined
}
