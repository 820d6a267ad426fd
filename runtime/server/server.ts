/**
 * Server: HTTP in front of the registry.
 *
 *  1. Every request gets a response: an object, a list, a stream, or a Status whose code is the HTTP status. An error that is
 *     no StatusError is logged with its stack and answered as an InternalError that names the audit id.
 *  2. Stored bytes are sent as they are. A get, a list without selectors and a watch never parse an object unless the
 *     client accepts only a table, metadata, YAML, protobuf or indented text.
 *  3. Nothing that a client sends is held without a bound: bodies up to 3 MiB, one list group or one batch of events at
 *     a time for a slow reader; the watch cache gives up a reader that falls too far behind.
 *  4. A request is answered the same way whatever carried it: node:http over a socket (`handle`, `listen`), a websocket, a call
 *     in the same process (`dispatch`), or another application of Koa (`koa`). Each passes the filters of
 *     `filters/handler-chain.ts`, and the middleware of users behind them.
 *  5. No flow of requests takes more of the server than its share: see `flow/flow-control.ts`. Slow senders, long headers and too
 *     many connections are cut off by `http/limits.ts`.
 *  6. After `stop` no timer, socket or watch of this server is left.
 */
export type { HealthCheck } from '../daemon/daemon.ts'
export type { ConnectCall, Connector } from './context/connector.ts'
export type {
  CompletedRequest,
  Middleware,
  RequestContext,
  RequestState,
} from './context/filter.ts'
export type { ServerDocument } from './context/server-context.ts'
export {
  type ApiServer,
  createServer,
  type Listener,
  type ListenOptions,
  type PortOpener,
  type ServerOptions,
} from './create-server.ts'
export { factsConfig } from './flow/flow-config.ts'
export type { FlowConfig } from './flow/flow-control.ts'
export { type OriginMatcher, originMatcher } from './http/allowed-origins.ts'
export type { ApiRequest, ApiResponse } from './http/in-process.ts'
export type { Limits } from './http/limits.ts'
