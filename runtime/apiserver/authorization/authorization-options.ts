import type { SubjectAccessReviewSpec } from '../../../generated/apis/authorization/v1.ts'
import type { AbacPolicy, Authorizer, RuleResolver } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'

/** The ways to decide who may do what. */
export const authorizationModes = [
  'AlwaysAllow',
  'AlwaysDeny',
  'ABAC',
  'Webhook',
  'RBAC',
  'Node',
] as const

/** A way to decide who may do what. */
export type AuthorizationMode = (typeof authorizationModes)[number]

/** What decides about requests. */
export interface AuthorizationOptions {
  /** Asked in this order; the first that allows or denies decides. Members of `system:masters` may do everything. */
  readonly modes: readonly AuthorizationMode[]
  /** The policies of the mode ABAC. */
  readonly abac?: readonly AbacPolicy[]
  /** The webhooks of the modes Webhook, in their order. */
  readonly webhooks?: readonly AuthorizationWebhook[]
}

/** A webhook that decides about requests. */
export interface AuthorizationWebhook {
  /** The file that says where it is and how to reach it: an orchconfig, whose current context counts. */
  readonly orchconfig: string
  /** The version of the reviews that it takes. */
  readonly version: 'v1' | 'v1beta1'
  /** How long its allowances and refusals are kept, in milliseconds. Default 5 minutes and 30 seconds. */
  readonly allowedMs?: number
  readonly refusedMs?: number
  /** How long an answer may take, in milliseconds. Default 30 seconds. */
  readonly timeoutMs?: number
  /** What is decided if it fails. Default: it has no opinion. */
  readonly onFailure?: 'NoOpinion' | 'Deny'
  /** Which requests it is asked about. Default: all. */
  readonly matches?: (spec: SubjectAccessReviewSpec) => Awaitable<boolean>
}

/** What a server asks about the rights of its users. */
export interface Authorization {
  readonly authorizer: Authorizer
  /** What roles and bindings give to whom. */
  readonly rules: RuleResolver
}
