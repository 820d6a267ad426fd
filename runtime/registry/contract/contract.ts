/**
 * The registry: the order of things for one verb.
 *
 * It takes decoded requests (a target, a JSON value, options) and gives items whose bytes are ready to send. It knows
 * nothing of HTTP. Every refusal is a StatusError.
 */
import type { UserInfo } from '../../auth/auth.ts'
import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { StatusDetails } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'

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
 * is stored nowhere, the answer to a review or a dry run, has of its metadata what its request gave.
 */
export interface Item {
  readonly bytes: Uint8Array
  readonly object: () => Stored<ApiObject>
}

/** A decoded request body. `duplicates` holds one text for each key that stood twice: `duplicate field "spec.replicas"`. */
export interface Body {
  readonly value: Json
  readonly duplicates: readonly string[]
  /** There is so much of it that work on it is done in turns. */
  readonly large?: boolean
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  /** The field manager, from the parameter or the user agent. */
  readonly manager: string
  /** An apply takes fields from managers that disagree. */
  readonly force?: boolean
  /** Precondition from an If-Match header. */
  readonly resourceVersion?: string
  /** The user of the request; without it, the server itself. */
  readonly user?: UserInfo
  /** The registry's own note that the request is a patch. */
  readonly patching?: boolean
}

/** Notes of admission for the audit event, if there are any. */
export interface WithAuditAnnotations {
  readonly annotations?: ReadonlyMap<string, string>
}

/** `created` tells 201 from 200. `warnings` become Warning headers. */
export interface WriteResult extends WithAuditAnnotations {
  readonly item: Item
  readonly created: boolean
  readonly warnings: readonly string[]
}

/** What an action answers beside that it is done. */
export interface ActionResult extends WithAuditAnnotations {
  readonly warnings: readonly string[]
}

export interface ReadOptions {
  readonly resourceVersion?: string
}

export interface ListOptions extends ReadOptions {
  readonly resourceVersionMatch?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  /** Belongs to watches; a list that names it is refused. */
  readonly sendInitialEvents?: boolean
}

export interface ListResult {
  readonly items: readonly Item[]
  /** The same items where nothing was left out, in arrays of which one that was seen before holds what it held. */
  readonly runs?: readonly (readonly Item[])[]
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

export interface WatchOptions extends ReadOptions {
  readonly resourceVersionMatch?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly continue?: string
  readonly bookmarks: boolean
  /** Behind the gate WatchList: true sends the state first and marks its end, false leaves it out. */
  readonly sendInitialEvents?: boolean
  /** When the caller will end the watch, counted from now: the last bookmark comes shortly before. */
  readonly timeoutMs?: number
}

/** The same event object goes to every watcher that sees the same change, so that serve can frame it once. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  /** An object of the state that a watch begins with: made for one watcher, shared with nobody. */
  readonly initial?: true
  /** For DELETED: the last state under the version of the deletion. For BOOKMARK: kind, apiVersion and version only. */
  readonly item: Item
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  /** The older form of the policy, as it was given; `propagationPolicy` says what it means. */
  readonly orphanDependents?: boolean
  readonly dryRun: boolean
  /** The user of the request; without it, the server itself. */
  readonly user?: UserInfo
}

/** Either the object (still there, or gone and the kind answers with it), or the facts of a Success Status. */
export type DeleteResult = (
  | { readonly item: Item; readonly stays: boolean }
  | { readonly details: StatusDetails }
) &
  WithAuditAnnotations & { readonly warnings?: readonly string[] }

/** What was deleted, and what is said of it. */
export type DeleteCollectionResult = ListResult &
  WithAuditAnnotations & { readonly warnings?: readonly string[] }

export interface Registry {
  /** What it serves: the tree as it is now. */
  readonly scheme: Scheme
  /** The revision that everything up to now was written at or before. */
  readonly revision: number
  /** Serves another tree from now on. Requests under way end with the kinds that they began with. */
  replaceScheme(scheme: Scheme): void
  get(target: Target, options: ReadOptions): Promise<Item>
  /** What a get without a version would give, where that is known without waiting; undefined: ask `get`. */
  peek(target: Target): Item | undefined
  list(target: Target, options: ListOptions): Promise<ListResult>
  /** How many objects of a resource there are, as memory has it. */
  count(kind: AnyKind): number
  /**
   * Batches of events until `signal` aborts. Options that cannot be understood fail at this very call, before anything
   * is awaited; history that is gone fails the iteration with a StatusError (410 Expired).
   */
  watch(
    target: Target,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<readonly WatchEvent[]>
  create(target: Target, body: Body, options: WriteOptions): Promise<WriteResult>
  update(target: Target, body: Body, options: WriteOptions): Promise<WriteResult>
  patch(target: Target, type: PatchType, body: Body, options: WriteOptions): Promise<WriteResult>
  /** Does what a subresource stands for, such as binding or evicting. */
  act(target: Target, body: Body, options: WriteOptions): Promise<ActionResult>
  delete(target: Target, options: DeleteOptions): Promise<DeleteResult>
  /** Deletes every match with the same options; the list holds what was deleted. */
  deleteCollection(
    target: Target,
    list: ListOptions,
    options: DeleteOptions,
  ): Promise<DeleteCollectionResult>
  /** Ends what admission holds open; the store is not the registry's to close. */
  close(): void
}
