import type { Authorizer } from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Log, Metrics } from '../../observe/observe.ts'
import type { ServiceResolver } from '../../webhook/webhook.ts'
import type { PluginSettings } from './plugin-settings.ts'

/** A stored object: the same reference for as long as it is the same version, so that it can be the key of a WeakMap. */
export interface StoredObject {
  object(): Stored<ApiObject>
}

/** Reads stored objects. */
export interface Lister {
  /** One object from the watch cache. */
  peek(kind: AnyKind, name: string, namespace?: string): StoredObject | undefined
  /** One object from the watch cache or, if it is not there, from the store: it finds what was created just now. */
  find(kind: AnyKind, name: string, namespace?: string): Promise<StoredObject | undefined>
  /**
   * All objects of a kind from the watch cache, ordered by name. Never calls a conversion webhook:
   * of a version that one converts to, objects that were converted since they were written come in
   * that version, the others as they are stored.
   */
  list(kind: AnyKind, namespace?: string): readonly StoredObject[]
}

/** Writes the status of objects. Its writes are not admitted themselves. */
export interface StatusWriter {
  /**
   * Applies `change` to the stored object, again after each conflict, and stores the result. Writes
   * nothing if the object does not exist or `change` returns undefined.
   */
  changeStatus(
    kind: AnyKind,
    key: { readonly namespace?: string; readonly name: string },
    change: (object: Stored<ApiObject>) => ApiObject | undefined,
  ): Promise<void>
}

/** What a request adds to a quota, as other servers read it. */
export interface PendingCharge {
  readonly resources: Readonly<Record<string, string>>
  /** Names the object, if the request creates it. */
  readonly identity?: string
}

/** What is charged to quotas, by this server and others, for objects that may not be stored yet. */
export interface PendingCharges {
  /** Tells others of a charge; resolves, with what ends it, once they know. */
  add(quota: string, charge: PendingCharge): Promise<() => void>
  /** What others have charged, as far as the watch cache goes. `quota` is its uid. */
  elsewhere(quota: string): readonly PendingCharge[]
}

/** Converts an object from one version of its kind to another: asynchronous if a webhook converts. */
export type Converter = (object: ApiObject, from: AnyKind, to: AnyKind) => Awaitable<ApiObject>

/** Everything that a plugin may use. */
export interface PluginContext {
  /** The kinds that are served now: another value after each change of custom resource definitions. */
  readonly scheme: Scheme
  readonly clock: Clock
  readonly random: Random
  /** Creates a new UID. */
  readonly uid: () => string
  readonly gates: EnabledGates
  readonly log: Log
  readonly metrics: Metrics
  readonly lister: Lister
  readonly writer: StatusWriter
  readonly convert: Converter
  /** Decides whether a user may do something, as it does for requests. */
  readonly authorizer: Authorizer
  /** Finds the address of a service that a webhook runs behind. */
  readonly resolve: ServiceResolver
  readonly settings: PluginSettings
  /** Absent where no other server writes. */
  readonly charges?: PendingCharges
}

/** The kind that is served at a collection path such as `api/v1/pods`; undefined if there is none. */
export function servedKind(
  { scheme }: Pick<PluginContext, 'scheme'>,
  path: string,
): AnyKind | undefined {
  return scheme.routes[path]
}

/** The stored objects of a collection path; none if it is not served. */
export function listStored(
  context: Pick<PluginContext, 'scheme' | 'lister'>,
  path: string,
  namespace?: string,
): readonly StoredObject[] {
  const kind = servedKind(context, path)
  return kind === undefined ? [] : context.lister.list(kind, namespace)
}

/** The objects of a collection path; none if it is not served. */
export function listObjects(
  context: PluginContext,
  path: string,
  namespace?: string,
): readonly Stored<ApiObject>[] {
  return listStored(context, path, namespace).map((stored) => stored.object())
}

/**
 * Calls `use` with an object: synchronously if the watch cache has it, else after a read of the
 * store. The read of the store is for an object that was created just now and is not in the watch
 * cache yet: without it the first Pod in a new namespace could be rejected.
 */
export function withStoredObject<T>(
  { lister }: Pick<PluginContext, 'lister'>,
  kind: AnyKind,
  { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
  use: (found: StoredObject | undefined) => T,
): Awaitable<T> {
  const cached = lister.peek(kind, name, namespace)
  return cached === undefined ? lister.find(kind, name, namespace).then(use) : use(cached)
}

/**
 * One object of a collection path; undefined if it does not exist. Undefined as well if the path is
 * not served. Rejects only if the store cannot be read.
 */
export async function getObject(
  context: PluginContext,
  path: string,
  name: string,
  namespace?: string,
): Promise<Stored<ApiObject> | undefined> {
  const kind = servedKind(context, path)
  return kind && (await context.lister.find(kind, name, namespace))?.object()
}
