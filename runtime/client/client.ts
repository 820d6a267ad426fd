/**
 * The client: typed verbs over a transport.
 *
 * `createClient(transport)` gives a `Client`; `client.resource(kind)` gives the typed verbs of one kind.
 *
 *  1. Errors are StatusErrors, whatever the server or the network did; `reason` says what to do about them.
 *  2. A patch cannot be sent under the wrong media type: each format is a verb of its own.
 *  3. A watch is an AsyncIterable that ends with its signal, or when the server ends it.
 *  4. A request that the server put off (429 or 503 with Retry-After) is repeated when it said so.
 *  5. Nothing read from a server is buffered without a bound.
 */

export type { ApplyConfiguration, PartOf } from './apply-configuration.ts'
export { connect } from './connect.ts'
export { type Client, type ClientOptions, createClient, type Scope } from './create-client.ts'
export { httpTransport } from './http-transport.ts'
export { type ConnectionConfig, loadConfig } from './orchconfig.ts'
export { type OrchconfigTarget, orchconfigText } from './orchconfig-text.ts'
export type { JsonPatch, JsonPatchOperation, MergePatch } from './patch.ts'
export type {
  ApplyOptions,
  Deleted,
  DeleteOptions,
  Draft,
  Key,
  List,
  ListOptions,
  NamedDraft,
  PatchOptions,
  Resource,
  Selection,
  UpdateOptions,
  WatchEvent,
  WatchOptions,
  Write,
  WriteOptions,
} from './resource.ts'
export type { Transport, TransportRequest, TransportResponse } from './transport.ts'
