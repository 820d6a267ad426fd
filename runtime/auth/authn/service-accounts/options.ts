import type { Clock } from '../../../kernel/async/clock.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import type { VerificationKey } from '../jwt/keys.ts'
import type { IdentitySource } from '../stored-identities.ts'
import type { BoundObjectChecks } from './bound-objects.ts'
import type { TokenUses } from './token-uses.ts'

/** What the tokens of service accounts are checked with. */
export interface ServiceAccountTokenOptions {
  /** The issuers whose tokens are known. */
  readonly issuers: readonly string[]
  /** The keys at the time of a check. Another list means that the keys have changed. */
  readonly keys: () => readonly VerificationKey[]
  /** The audiences of this server: a token must be for one of them, unless its check asks for others. */
  readonly apiAudiences: readonly string[]
  /** False: for tokens of secrets, the objects that they name are not looked up. */
  readonly lookup: boolean
  readonly source: IdentitySource
  readonly nodeChecks: Pick<BoundObjectChecks, 'checksNodes' | 'nodeGate'>
  readonly uses: TokenUses
  readonly platform: Pick<Platform, 'api' | 'brand' | 'domain'>
  readonly clock: Clock
}
