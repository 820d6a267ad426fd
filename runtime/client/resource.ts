import type { Kind } from '../kernel/descriptors/kind.ts'
import type { ApiObject, NamedObject, Stored } from '../kernel/meta/object.ts'
import type { ApplyConfiguration } from './apply-configuration.ts'
import type { JsonPatch, MergePatch } from './patch.ts'
import type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  Selection,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from './resource-options.ts'

/** Names one object. Without a namespace the one the resource is bound to, or else the client's own, is meant. */
export interface Key {
  readonly namespace?: string
  readonly name: string
}

/** An object as a user writes it: the client fills in what its kind says anyway. */
export type Draft<T extends ApiObject> = Omit<T, 'apiVersion' | 'kind'> &
  Partial<Pick<T, 'apiVersion' | 'kind'>>

/** A draft of an object that is there already: its name says which one. */
export type NamedDraft<T extends ApiObject> = Draft<T> & NamedObject

/** What a deletion came to: `object` is there if the server answered with it, because finalizers hold it or by kind. */
export interface Deleted<T extends ApiObject> {
  readonly uid: string | undefined
  readonly object: Stored<T> | undefined
}

/** What of a collection is read into memory. */
export interface ListAllOptions<T extends ApiObject> extends ListOptions {
  /** What is kept of each object. The rest of a page is let go before the next page is read. Default: all of it. */
  readonly transform?: ((object: Stored<T>) => Stored<T>) | undefined
}

/** Objects as of one revision. */
export interface List<T extends ApiObject> {
  readonly items: readonly Stored<T>[]
  /** The revision. A watch from it sees every later change. */
  readonly resourceVersion: string
}

/** One change of a collection. The object of a BOOKMARK holds nothing but its resourceVersion. */
export interface WatchEvent<T extends ApiObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: Stored<T>
}

/** A write that a server acknowledged, as listeners hear of it. */
export interface Write {
  readonly kind: Kind
  readonly namespace: string | undefined
  readonly name: string
  readonly uid: string | undefined
  /** The object's version after the write; undefined when it was deleted. */
  readonly resourceVersion: string | undefined
  /** The object after the write, where the server answered with it. */
  readonly object?: Stored<ApiObject>
}

/**
 * The typed verbs of one kind. Collections span all namespaces unless the resource is bound to one by `in`.
 *
 * Every verb fails with a StatusError and with nothing else: `reason` says what happened (`NotFound`, `Conflict`,
 * `Invalid`, `Forbidden`, ...), `Timeout` that its signal aborted, `ServiceUnavailable` that no server answered.
 *
 * @example
 * const pods = client.resource(podKind).in('shop')
 * for await (const pod of pods.list({ labelSelector: 'app=web' })) console.log(pod.metadata.name)
 */
export interface Resource<T extends ApiObject> {
  readonly kind: Kind<T>

  /** The same verbs, bound to one namespace. */
  in(namespace: string): Resource<T>

  /**
   * Reads one object.
   *
   * @throws StatusError `NotFound` if it is not there.
   */
  get(key: string | Key, signal?: AbortSignal): Promise<Stored<T>>

  /** Like get, but undefined for an object that is not there. */
  find(key: string | Key, signal?: AbortSignal): Promise<Stored<T> | undefined>

  /**
   * Reads objects in key order, one page in memory at a time, all as of one revision.
   *
   * @throws StatusError `Expired` if the reader takes so long that the revision is compacted meanwhile: list again.
   */
  list(options?: ListOptions, signal?: AbortSignal): AsyncIterable<Stored<T>>

  /** Reads all objects into memory, with the revision to watch from. */
  listAll(options?: ListAllOptions<T>, signal?: AbortSignal): Promise<List<T>>

  /**
   * Changes in the order in which they happened, until `signal` aborts or the server ends the stream; the iteration then
   * just ends. `createInformer` resumes and lists again where that is needed.
   *
   * @throws StatusError `Expired` if the server no longer has the history after `resourceVersion`: list again.
   */
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>

  /**
   * Stores a new object; gives it with what the server filled in.
   *
   * @throws StatusError `AlreadyExists` if its name is taken, `Invalid` with a cause for each field that is wrong.
   */
  create(object: Draft<T>, options?: WriteOptions, signal?: AbortSignal): Promise<Stored<T>>

  /**
   * Replaces an object, or a subresource of it. Read it, change it by spread, and update: of two who do so at the same
   * time the later one fails and has to read again.
   *
   * @throws StatusError `Conflict` if the object has another resourceVersion than the given one, `NotFound`, `Invalid`.
   * @example
   * const map = await maps.get('settings')
   * await maps.update({ ...map, data: { ...map.data, colour: 'blue' } })
   */
  update(object: NamedDraft<T>, options?: UpdateOptions, signal?: AbortSignal): Promise<Stored<T>>

  /** Like update, of the status alone. */
  updateStatus(
    object: NamedDraft<T>,
    options?: WriteOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>

  /**
   * Reads a subresource of an object as the server gives it: `scale`, `status`. Updates and patches of one name it in their options.
   * `query` has the parameters that it takes beside.
   *
   * @throws StatusError `NotFound` if the object is not there, or its kind has no such subresource.
   */
  getSubresource<S = unknown>(
    key: string | Key,
    subresource: string,
    signal?: AbortSignal,
    query?: Readonly<Record<string, string>>,
  ): Promise<S>

  /**
   * Sends a body to a subresource that stands for an action: `eviction`, `binding`, `token`. Gives what the server answers.
   *
   * @example await pods.createSubresource('web', 'eviction', { metadata: { name: 'web' } })
   */
  createSubresource<S = unknown>(
    key: string | Key,
    subresource: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<S>

  /**
   * Changes the fields that a JSON merge patch names.
   *
   * @throws StatusError `NotFound`, `Invalid`, and `Conflict` if the patch names a resourceVersion that is not the latest.
   * @example await pods.mergePatch('web', { metadata: { labels: { tier: 'front', old: null } } })
   */
  mergePatch(
    key: string | Key,
    patch: MergePatch<T>,
    options?: PatchOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>

  /**
   * Applies the steps of a JSON patch, all of them or none.
   *
   * @throws StatusError `Invalid` if a step does not apply or a `test` does not hold, `NotFound`.
   */
  jsonPatch(
    key: string | Key,
    patch: JsonPatch,
    options?: PatchOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>

  /**
   * Server-side apply: makes the object have the fields of the configuration, creates it if it is not there, and records
   * the fields as the manager's. Fields that the manager applied before and leaves out now are removed.
   *
   * @throws StatusError `Conflict`, with a cause for each field, where another manager wants another value.
   * @example await deployments.apply({ metadata: { name: 'web' }, spec: { replicas: 3 } })
   */
  apply(
    configuration: ApplyConfiguration<T>,
    options?: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>

  /**
   * Deletes an object. One that is given whole is deleted only if it still is that one, and not another of its name.
   *
   * @throws StatusError `NotFound`, `Conflict` if it is another object, or has changed where `unchanged` is asked for.
   */
  delete(
    target: string | Key | Stored<T>,
    options?: DeleteOptions,
    signal?: AbortSignal,
  ): Promise<Deleted<T>>

  /**
   * Deletes what is selected, in the bound namespace; gives what was deleted.
   *
   * @throws StatusError `BadRequest` for a kind with namespaces if the resource is bound to none.
   */
  deleteCollection(
    selection: Selection,
    options?: DeleteOptions,
    signal?: AbortSignal,
  ): Promise<List<T>>
}
