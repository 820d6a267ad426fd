import type { IncomingMessage, ServerResponse } from 'node:http'
import type { UserInfo } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { FlowDecision } from '../flow/flow-control.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import type { RequestInfo } from '../request/request-info.ts'

/** What the filters of one request know of it: Koa's `ctx.state`. A field is set by the filter that is named after it. */
export interface RequestState {
  /** The request as its carrier brought it, without its prefix where the application is mounted. */
  request: HttpRequest
  /** Milliseconds since the epoch. */
  receivedAt: number
  /** Names the request in the audit log, in the server's log and in the header `Audit-Id`. */
  auditId: string
  info: RequestInfo
  /** Whose request it is; the anonymous user where its credentials did not hold. */
  user: UserInfo
  /** Why the credentials were refused; `authorization` throws it. */
  authenticationError?: Error
  /** Says that the body, which has arrived, is worked on or given up. */
  bodyTaken?: () => void
  /** What the request was classified as by flow control. */
  flowDecision?: FlowDecision
  /** The user who made the request, where `user` is the one that it impersonates. */
  impersonator?: UserInfo
  /** Become `Warning` headers, before those of the response. */
  warnings?: readonly string[]
  /** For the audit event, beside the response's own. */
  annotations?: Readonly<Record<string, string>>
  /** The request took too long and is answered: what its handler still does comes too late. */
  timedOut?: true
  /** What is sent when all filters are done; a filter behind `await next()` may replace it. */
  response?: HttpResponse
}

/**
 * The context of one request: a context of Koa, of which this much is promised whatever carried the request. A request of
 * the same process has no connection behind `req`; read its body from `state.request`.
 */
export interface RequestContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** What the filters know of the request. */
  readonly state: RequestState
  readonly method: string
  readonly path: string
  readonly querystring: string
  readonly headers: IncomingMessage['headers']
  status: number
  /** Answers the request in place of the server: text, bytes, a stream, or a value that is sent as JSON. */
  body: unknown
  /** False once the response is written to `res` by hand. */
  respond?: boolean | undefined
  /** The value of a header of the request, empty if it is not there. */
  get(header: string): string
  /** Sets a header of the response, whether the server or a middleware answers. */
  set(header: string, value: string | string[]): void
}

/** A filter of the server. It waits only where the rest of the chain does: a read from memory passes without a promise. */
export type Filter = (ctx: RequestContext, next: () => Awaitable<void>) => Awaitable<void>

/**
 * A middleware of a user, as Koa has them. It runs behind the server's own filters: the request is authenticated, audited,
 * counted and authorized, and what the middleware throws becomes a Status.
 *
 * @example
 * const teapot: Middleware = async (ctx, next) => {
 *   if (ctx.path === '/teapot') ctx.body = 'short and stout'
 *   else await next()
 * }
 */
export type Middleware = {
  middleware(ctx: RequestContext, next: () => Promise<void>): unknown
}['middleware']

/** A request that was answered. */
export interface CompletedRequest {
  /** As the header `Audit-Id` of its response names it. */
  readonly auditId: string
  readonly info: RequestInfo
  readonly user: UserInfo
  readonly method: string
  /** The status code of the response. */
  readonly status: number
  /** As the audit event has them. */
  readonly annotations: Readonly<Record<string, string>>
}
