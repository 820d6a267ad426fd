import type { PassedBack } from '../../aggregator/aggregator.ts'
import type { UserInfo } from '../../auth/auth.ts'
import type { ObjectTarget } from '../../registry/registry.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'

/** A request that a node, a pod or a service is to answer. */
export interface ConnectCall {
  readonly target: ObjectTarget & { readonly subresource: string }
  /** The path behind the subresource as it was sent; undefined where not even a slash stands there. */
  readonly rest: string | undefined
  readonly query: URLSearchParams
  /** Without the credentials of the client. */
  readonly request: HttpRequest
  readonly user: UserInfo
  readonly auditId: string
  /** True for a request that turns its connection into one of another protocol. */
  readonly upgrades: boolean
  /** Ends the request and its answer. */
  readonly signal: AbortSignal
}

/** Has the node, pod or service answer, or answers for it. @throws StatusError that says why it cannot. */
export type Connector = (call: ConnectCall) => Promise<PassedBack | HttpResponse>
