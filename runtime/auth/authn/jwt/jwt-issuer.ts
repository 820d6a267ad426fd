/** What is believed of the tokens of an issuer, and what becomes of their claims: the form of `schemas/config/apiserver`. */
import type { JWTAuthenticator } from '../../../../generated/config/apiserver/v1alpha1.ts'

export type { JWTAuthenticator }

/** A claim, or an expression over the claims. */
export type ClaimSource = NonNullable<JWTAuthenticator['claimMappings']['groups']>

/** Something that is wrong with an issuer, by the path of what it is about. */
export interface JwtProblem {
  /** `claimMappings.username.expression` */
  readonly path: string
  readonly message: string
}
