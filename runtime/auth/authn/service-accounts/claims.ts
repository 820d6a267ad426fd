import { isObject } from '../../../kernel/values/json.ts'
import { type Claims, textClaim, timeClaim } from '../jwt/compact-token.ts'

/** An object that a token names. */
export interface ObjectClaim {
  readonly name: string
  readonly uid: string
}

/** What a token of a service account says beside its standard claims (N-08). */
export interface AccountClaims {
  readonly namespace: string
  readonly serviceaccount: ObjectClaim
  readonly pod?: ObjectClaim
  readonly secret?: ObjectClaim
  readonly node?: ObjectClaim
  /** Seconds since the epoch after which the token is used longer than its bearer asked for. */
  readonly warnafter?: number
}

/** The claims about the account; empty names where a token says none. */
export function accountClaimsOf(claims: Claims, domain: string): AccountClaims {
  const own = Object.hasOwn(claims, domain) ? claims[domain] : undefined
  const facts: Claims = isObject(own) ? own : {}
  const [pod, secret, node] = ['pod', 'secret', 'node'].map((name) => objectClaim(facts, name))
  const warnafter = timeClaim(facts, 'warnafter')
  return {
    namespace: textClaim(facts, 'namespace') ?? '',
    serviceaccount: objectClaim(facts, 'serviceaccount') ?? { name: '', uid: '' },
    ...(pod && { pod }),
    ...(secret && { secret }),
    ...(node && { node }),
    ...(warnafter !== undefined && { warnafter }),
  }
}

function objectClaim(facts: Claims, key: string): ObjectClaim | undefined {
  const value = Object.hasOwn(facts, key) ? facts[key] : undefined
  if (!isObject(value)) return undefined
  return { name: textClaim(value, 'name') ?? '', uid: textClaim(value, 'uid') ?? '' }
}
