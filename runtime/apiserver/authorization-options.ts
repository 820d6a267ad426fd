import type { Authorizer, RuleResolver } from '../auth/auth.ts'

/** A way to decide who may do what. */
export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'ABAC' | 'Webhook' | 'RBAC' | 'Node'

/** What decides about requests. */
export interface AuthorizationOptions {
  /** Asked in this order; the first that allows or denies decides. Members of `system:masters` may do everything. */
  readonly modes: readonly AuthorizationMode[]
}

/** What a server asks about the rights of its users. */
export interface Authorization {
  readonly authorizer: Authorizer
  /** What roles and bindings give to whom. */
  readonly rules: RuleResolver
}
