import type { Authorizer, RuleResolver, UserInfo } from '../../auth/auth.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'

/** Who writes an object that gives rights, and what that user has. */
export interface WriteAccess {
  readonly user: UserInfo
  readonly authorizer: Authorizer
  readonly rules: RuleResolver
  /** What the request is about. */
  readonly kind: AnyKind
  readonly namespace: string
  /** As the path of the request names it; empty in a POST. */
  readonly name: string
}
