/**
 * The client: typed verbs over a transport.
 *
 * `createClient(transport)` gives a `Client`; `client.resource(kind)` gives the typed verbs of one kind.
 *
 *  1. Errors are StatusErrors, whatever the server or the network did; `reason` says what to do about them.
 *  2. A patch cannot be sent under the wrong media type: each format is a verb of its own.
 *  3. A watch is an AsyncIterable that ends with its signal, or when the server ends it.
 *  4. A request that the server refuses for now (429 or 503 with Retry-After, and a read after other errors with it) is repeated
 *     after that time. What may have been done is never repeated.
 *  5. Nothing read from a server is buffered without a bound.
 *  6. Every request says who sends it and whom it is made as; with credentials that a server refuses it is sent once more if
 *     their source has others.
 *  7. Where the server offers HTTP/2, requests and watches share connections, and a connection on which nothing comes any more
 *     is found out.
 */

export type { ApplyConfiguration, PartOf } from './apply-configuration.ts'
export { type Client, type ClientOptions, createClient, type Scope } from './create-client.ts'
export type { Discovered } from './discovery.ts'
export { type DynamicKindFacts, type DynamicObject, dynamicKind } from './dynamic-kind.ts'
export { isNotServed } from './error-advice.ts'
export { findKind, type KindReference, unknownKind } from './find-kind.ts'
export type {
  ConnectionConfig,
  CredentialSource,
  Credentials,
  Impersonation,
} from './http/connection-config.ts'
export { httpTransport } from './http/http-transport.ts'
export type { Transport, TransportRequest, TransportResponse } from './http/transport.ts'
export { type OrchconfigTarget, orchconfigText } from './orchconfig-text.ts'
export type { JsonPatch, JsonPatchOperation, MergePatch } from './patch.ts'
export {
  type BothWays,
  type GroupSuffixes,
  namesOfReviews,
  otherGroupName,
  withGroupNames,
} from './platform-names.ts'
export { renamed, renamedPatch } from './renamed.ts'
export type {
  Deleted,
  Draft,
  Key,
  List,
  ListAllOptions,
  NamedDraft,
  Resource,
  WatchEvent,
  Write,
} from './resource.ts'
export type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  Selection,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from './resource-options.ts'
export {
  type ResourceOf,
  type ScalableResource,
  type Scale,
  type ScaleVerbs,
  scaleVerbs,
} from './scale.ts'
