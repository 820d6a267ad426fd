/**
 * The registry: the order of things for one verb.
 *
 * It takes decoded requests (a target, a JSON value, options) and returns items whose bytes are ready to send. It knows
 * nothing of HTTP. Every refusal is a StatusError; anything else that is thrown is a bug.
 */
import type { UserInfo } from '../../auth/auth.ts'
import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { StatusDetails } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { Numeral, StoredValue, StrictProblems } from '../../serializer/serializer.ts'

/** What a request is about. `namespace` is absent for cluster-scoped kinds and for all-namespaces reads. */
export interface Target {
  readonly kind: Kind
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

/** A target that is one object, or a subresource of it. */
export interface ObjectTarget extends Target {
  readonly name: string
}

/**
 * A served object: its bytes as stored with the resourceVersion in place, and the parsed form on demand (memoised). What
 * is stored nowhere, the answer to a review or a dry run, has of its metadata what its request brought.
 */
export interface Item {
  readonly bytes: Uint8Array
  readonly object: () => Stored<ApiObject>
}

/** A decoded request body. `duplicates` holds one text for each key that stood twice: `duplicate field "spec.replicas"`. */
export interface Body {
  readonly value: Json
  readonly duplicates: readonly string[]
  /** Numbers with a fraction or an exponent, of which no integer is written: `1.0`. */
  readonly numerals?: readonly Numeral[]
  /** The first problem in it is that of the first key in alphabetical order. */
  readonly sorted?: true
  /** What strict field validation says of these keys and unknown fields together. */
  readonly strict?: StrictProblems
  /** The body is so large that work on it yields to other requests in between. */
  readonly large?: boolean
}

/** What becomes of unknown and duplicate fields: dropped silently, dropped with a warning, or refused. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** Options as a request said them, before anything stood in for what it left out. */
export interface SaidOptions {
  readonly fieldManager?: string
  readonly fieldValidation?: string
}

/** The options of a create, update, patch, apply or action. */
export interface WriteOptions {
  /** Everything but the write itself happens. */
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  /** The field manager, from the parameter or the user agent. */
  readonly manager: string
  /** The caller of a dry run of a creation does not read its result: managed fields stay as the request states them. */
  readonly untracked?: boolean
  /** An apply takes fields from managers that disagree. */
  readonly force?: boolean
  /** Precondition from an If-Match header. */
  readonly resourceVersion?: string
  /** The user of the request; without it, the server itself. */
  readonly user?: UserInfo
  /** The headers that name the trace of the request. */
  readonly trace?: Readonly<Record<string, string>>
  /** What the request said itself: this alone admission sees. */
  readonly said?: SaidOptions
}

/** A result with the audit annotations of admission plugins, if there are any. */
export interface WithAuditAnnotations {
  readonly annotations?: ReadonlyMap<string, string>
}

/** What a write left. `created` tells 201 from 200. `warnings` become Warning headers. */
export interface WriteResult extends WithAuditAnnotations {
  readonly item: Item
  readonly created: boolean
  readonly warnings: readonly string[]
}

/** What an action returns beside the fact that it is done. */
export interface ActionResult extends WithAuditAnnotations {
  /** What its body became, where that is the answer: a token. */
  readonly item?: Item
  readonly warnings: readonly string[]
}

/** The options of a get. */
export interface ReadOptions {
  /** At least this version: empty for the latest, `0` for whatever is cached. */
  readonly resourceVersion?: string
}

/** The options of a list, as its query parameters name them. */
export interface ListOptions extends ReadOptions {
  readonly resourceVersionMatch?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Most items of a page; 0 and absent are no limit. */
  readonly limit?: number
  /** The token of the page before. */
  readonly continue?: string
  /** An option of watches; a list that names it is refused. */
  readonly sendInitialEvents?: boolean
  /** Who asks takes `parts` where a list without a limit is not in memory. No query says this. */
  readonly inParts?: boolean
}

/** A page of a collection, in key order, as of one version. */
export interface ListResult {
  readonly items: readonly Item[]
  /**
   * The whole list, where it is read while it is used: `items` are only the first of it. Each call reads anew, at the same version; what fails
   * then fails the iteration.
   */
  readonly parts?: () => AsyncIterable<readonly Item[]>
  /** The same objects as they are stored, in shared arrays, where nothing was left out: an array that was seen before still has the same. */
  readonly runs?: readonly (readonly StoredValue[])[]
  readonly resourceVersion: string
  /** The token of the next page; absent for the last one. */
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** The options of a watch, as its query parameters name them. */
export interface WatchOptions extends ReadOptions {
  readonly resourceVersionMatch?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly continue?: string
  /** True for a watcher that wants to hear of versions in which nothing changed for it. */
  readonly bookmarks: boolean
  /** Behind the gate WatchList: true sends the state first and marks its end, false leaves it out. */
  readonly sendInitialEvents?: boolean
  /** After how many milliseconds the server will end the watch: the last bookmark comes shortly before. */
  readonly timeoutMs?: number
}

/** The same event object goes to every watcher that sees the same change, so that the server can frame it once. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  /** The event is part of the state that a watch begins with: made for one watcher, not shared. */
  readonly initial?: true
  /** For DELETED: the last state under the version of the deletion. For BOOKMARK: kind, apiVersion and version only. */
  readonly item: Item
}

/** The media types of patches: RFC 6902, RFC 7386, strategic merge patch, server-side apply. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** The options of a deletion. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  /** The older form of the policy, as it was sent; `propagationPolicy` has its meaning. */
  readonly orphanDependents?: boolean
  readonly dryRun: boolean
  /** The user of the request; without it, the server itself. */
  readonly user?: UserInfo
  /** The headers that name the trace of the request. */
  readonly trace?: Readonly<Record<string, string>>
}

/** Either the object (still there, or gone from a kind that returns it), or the details of a Success Status. */
export type DeleteResult = (
  | { readonly item: Item; readonly stays: boolean }
  | { readonly details: StatusDetails }
) &
  WithAuditAnnotations & { readonly warnings?: readonly string[] }

/** The objects that were deleted, with the warnings of all deletions together. */
export type DeleteCollectionResult = ListResult &
  WithAuditAnnotations & { readonly warnings?: readonly string[] }

/** The verbs over one store. */
export interface Registry {
  /** The scheme that is served now. */
  readonly scheme: Scheme
  /** The revision at or before which everything up to now was written. */
  readonly revision: number
  /** Serves another scheme from now on. Requests under way end with the kinds that they began with. */
  replaceScheme(scheme: Scheme): void
  /** @throws StatusError NotFound, or Timeout if the wanted version does not come. */
  get(target: Target, options: ReadOptions): Promise<Item>
  /** The result of a get without a version, where it is known without waiting; undefined means: call `get`. */
  peek(target: Target): Item | undefined
  /** @throws StatusError BadRequest, Invalid, or Expired with a token to go on with. */
  list(target: Target, options: ListOptions): Promise<ListResult>
  /** Refuses options as `list` or `watch` does, without reading anything. @throws StatusError BadRequest, Invalid. */
  checkOptions(verb: 'list' | 'watch', target: Target, options: ListOptions): void
  /** How many objects of a resource are cached. */
  count(kind: AnyKind): number
  /**
   * Batches of events until `signal` aborts.
   *
   * @throws StatusError at this very call for options that have no meaning; 410 Expired in the iteration for history that
   *   is gone.
   */
  watch(
    target: Target,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<readonly WatchEvent[]>
  /** @throws StatusError AlreadyExists, Invalid with all field errors, or as admission refuses. */
  create(target: Target, body: Body, options: WriteOptions): Promise<WriteResult>
  /** @throws StatusError NotFound, Conflict, Invalid with all field errors, or as admission refuses. */
  update(target: Target, body: Body, options: WriteOptions): Promise<WriteResult>
  /** @throws StatusError as `update`; for an apply, Conflict with the managers who disagree. */
  patch(target: Target, type: PatchType, body: Body, options: WriteOptions): Promise<WriteResult>
  /** Does what a subresource stands for, such as binding or evicting. */
  act(target: Target, body: Body, options: WriteOptions): Promise<ActionResult>
  /** Whether a request may be passed on to a node, a pod or a service. @throws StatusError as admission refuses. */
  connect(target: Target, query: JsonObject, options: WriteOptions): Promise<WithAuditAnnotations>
  /** @throws StatusError NotFound, Conflict if a precondition fails, or as admission refuses. */
  delete(target: Target, options: DeleteOptions): Promise<DeleteResult>
  /** Deletes every match with the same options; the list holds what was deleted. */
  deleteCollection(
    target: Target,
    list: ListOptions,
    options: DeleteOptions,
  ): Promise<DeleteCollectionResult>
  /** Closes what admission holds open. The store stays open: it belongs to the caller. */
  close(): void
}
