import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { UserInfo } from '../../kernel/auth/user-info.ts'

/** What a user wants to do. */
export interface AuthorizationAttributes {
  readonly user: UserInfo
  /** `get`, `list`, `watch`, `create`, ... for resources; the method in lower case for other paths. */
  readonly verb: string
  readonly group: string
  /** The version of the request's path; absent where the question is not a request, as in an access review. */
  readonly version?: string
  /** Plural name of the resource. */
  readonly resource: string
  /** Empty for a collection, or for any name. */
  readonly name: string
  readonly subresource?: string
  /** Absent at the cluster scope and for all namespaces. */
  readonly namespace?: string
  /** A path that names no resource: group, resource and name are empty. */
  readonly path?: string
}

/** What one authorizer says. `reason` becomes part of the answer to the client and an annotation of the audit event. */
export interface AuthorizationResult {
  readonly decision: 'Allow' | 'Deny' | 'NoOpinion'
  readonly reason?: string
  /** What went wrong while it decided: a request that is not allowed then is answered 500 InternalError. */
  readonly error?: unknown
}

/** Decides what users may do. */
export interface Authorizer {
  /**
   * Answers without a promise where nothing has to be waited for, so that a read from memory stays synchronous.
   *
   * @throws any error if it cannot tell; the request is answered 500 InternalError unless another authorizer allows it.
   */
  authorize(attributes: AuthorizationAttributes): Awaitable<AuthorizationResult>
  /** What a user may do in a namespace. Absent for an authorizer that only decides about single requests. */
  rulesFor?(user: UserInfo, namespace: string): Awaitable<SubjectRules>
}

/** What a user may do in a namespace, as far as it can be listed; rules only add. */
export interface SubjectRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[]
    readonly nonResourceURLs: readonly string[]
  }[]
  /** There may be more rules than these. */
  readonly incomplete: boolean
  /** Why not all of them could be listed. */
  readonly evaluationErrors?: readonly string[]
}
