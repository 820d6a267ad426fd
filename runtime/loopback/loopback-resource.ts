import {
  type Key,
  type List,
  type Resource,
  type ScalableResource,
  type ScaleVerbs,
  scaleVerbs,
  type UpdateOptions,
  type WatchEvent,
  type Write,
} from '../client/client.ts'
import { yieldToEventLoop } from '../kernel/async/slices.ts'
import type { Kind } from '../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf, type Stored } from '../kernel/meta/object.ts'
import { keyIn, targetKey } from '../kernel/meta/object-key.ts'
import type { Body, Item, PatchType, Registry, Target, WriteOptions } from '../registry/registry.ts'
import { deleteOptions, toStatusError } from './registry-options.ts'
import { toJson } from './to-json.ts'

/** What the verbs of one kind are made of. */
export interface LoopbackResourceOptions {
  readonly registry: Registry
  readonly kind: Kind
  readonly manager: string
  readonly defaultNamespace: string
  /** The namespace this resource is bound to. */
  readonly namespace?: string
  /** Each of them ends every verb. */
  readonly signals: readonly AbortSignal[]
  readonly onWrite: (write: Write) => void
  /** Throws where nothing may be written. */
  readonly beforeWrite: () => void
}

/** So many objects are parsed before other work has its turn. */
const parsedAtOnce = 500

/** The verbs of one kind over a registry. */
export function createLoopbackResource<T extends ApiObject>(
  options: LoopbackResourceOptions,
): Resource<T> {
  return new LoopbackResource<T>(options)
}

/** The promises of `Resource`; options that mean nothing within a process are dropped. */
class LoopbackResource<T extends ApiObject> implements ScalableResource<T> {
  readonly kind: Kind<T>
  readonly #options: LoopbackResourceOptions
  readonly #registry: Registry

  constructor(options: LoopbackResourceOptions) {
    this.kind = options.kind as unknown as Kind<T>
    this.#options = options
    this.#registry = options.registry
  }

  /** Binds lists, watches and names without a namespace; a key with one of its own keeps that. */
  in(namespace: string): ScalableResource<T> {
    return new LoopbackResource({ ...this.#options, namespace })
  }

  async get(key: string | Key, signal?: AbortSignal): Promise<Stored<T>> {
    return this.#run(signal, async () =>
      this.#stored(await this.#registry.get(this.#target(key), {})),
    )
  }

  /**
   * Undefined for NotFound alone: an error of another kind says nothing about whether the object is
   * there.
   */
  async find(key: string | Key, signal?: AbortSignal): Promise<Stored<T> | undefined> {
    try {
      return await this.get(key, signal)
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    }
  }

  /**
   * All at once and of one revision: objects are in memory already, so that pages would save
   * nothing.
   */
  async *list(...args: Parameters<Resource<T>['list']>): AsyncGenerator<Stored<T>, void> {
    yield* (await this.listAll(...args)).items
  }

  /**
   * The page size is dropped for that reason. Objects are parsed in portions, since the process
   * also answers requests.
   */
  listAll(
    ...[
      { pageSize: _, transform = (object: Stored<T>) => object, ...selection } = {},
      signal,
    ]: Parameters<Resource<T>['listAll']>
  ): Promise<List<T>> {
    return this.#run(signal, async () => {
      const { items, resourceVersion } = await this.#registry.list(this.#collection, selection)
      const objects: Stored<T>[] = []
      for (const item of items) {
        objects.push(transform(this.#stored(item)))
        if (objects.length % parsedAtOnce === 0) await yieldToEventLoop()
      }
      return { items: objects, resourceVersion }
    })
  }

  /** `timeoutSeconds` means nothing here: a stream within a process is not lost without a word. */
  async *watch(
    ...[{ timeoutSeconds: _, bookmarks = false, ...watching }, signal]: Parameters<
      Resource<T>['watch']
    >
  ): AsyncGenerator<WatchEvent<T>, void> {
    const either = AbortSignal.any([signal, ...this.#options.signals])
    try {
      const batches = this.#registry.watch(this.#collection, { ...watching, bookmarks }, either)
      for await (const batch of batches) {
        for (const { type, item } of batch) {
          if (either.aborted) return
          yield { type, object: this.#stored(item) }
        }
      }
    } catch (error) {
      if (!either.aborted) throw toStatusError(error)
    }
  }

  /**
   * A namespace in the metadata wins over the bound one and over the client's. Without a name,
   * `generateName` of the object counts.
   */
  async create(
    ...[object, options = {}, signal]: Parameters<Resource<T>['create']>
  ): Promise<Stored<T>> {
    const target = { ...this.#collection, ...this.#namespaceOf(object.metadata) }
    return this.#write(signal, options, (writing) =>
      this.#registry.create(target, this.#body(object), writing),
    )
  }

  async update(
    ...[object, options = {}, signal]: Parameters<Resource<T>['update']>
  ): Promise<Stored<T>> {
    const { name } = object.metadata
    const target = this.#target({ name, ...this.#namespaceOf(object.metadata) }, options)
    return this.#write(signal, options, (writing) =>
      this.#registry.update(target, this.#body(object), writing),
    )
  }

  async updateStatus(
    ...[object, options, signal]: Parameters<Resource<T>['updateStatus']>
  ): Promise<Stored<T>> {
    return this.update(object, { ...options, subresource: 'status' }, signal)
  }

  scale(key: string | Key): ScaleVerbs {
    return scaleVerbs(this, key)
  }

  getSubresource<S>(key: string | Key, subresource: string, signal?: AbortSignal): Promise<S> {
    return this.#run(signal, async () => {
      const { object } = await this.#registry.get(this.#target(key, { subresource }), {})
      return object() as S
    })
  }

  /** Answers with a Status, as the server does. */
  createSubresource<S>(
    key: string | Key,
    subresource: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<S> {
    return this.#run(signal, async () => {
      const { manager, beforeWrite } = this.#options
      beforeWrite()
      const target = this.#target(key, { subresource })
      const options = { dryRun: false, fieldValidation: 'Ignore', manager } as const
      const sent = { value: toJson(body), duplicates: [] }
      await this.#registry.act(target, sent, options)
      return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as S
    })
  }

  async mergePatch(
    ...[key, patch, options, signal]: Parameters<Resource<T>['mergePatch']>
  ): Promise<Stored<T>> {
    return this.#patch('merge', key, { value: toJson(patch), duplicates: [] }, options, signal)
  }

  async jsonPatch(
    ...[key, patch, options, signal]: Parameters<Resource<T>['jsonPatch']>
  ): Promise<Stored<T>> {
    return this.#patch('json', key, { value: toJson(patch), duplicates: [] }, options, signal)
  }

  /**
   * The object is made if it is not there. A manager in the options stands for that of the client
   * in this one write.
   */
  async apply(
    ...[intent, { manager, force, ...options } = {}, signal]: Parameters<Resource<T>['apply']>
  ): Promise<Stored<T>> {
    return this.#patch('apply', keyIn(intent.metadata), this.#body(intent), options, signal, {
      ...(manager !== undefined && { manager }),
      ...(force !== undefined && { force }),
    })
  }

  /**
   * A dry run is told to no scope. The object is undefined if the registry answers with a Status; a
   * version is announced only for an object that stays, because of finalizers.
   */
  delete(
    ...[target, options = {}, signal]: Parameters<Resource<T>['delete']>
  ): ReturnType<Resource<T>['delete']> {
    return this.#run(signal, async () => {
      this.#options.beforeWrite()
      const at = this.#target(target)
      const deleted = await this.#registry.delete(at, deleteOptions(target, options))
      if (!('item' in deleted)) {
        const { uid } = deleted.details as { readonly uid?: string }
        if (!options.dryRun) this.#announce(at, uid, undefined)
        return { uid, object: undefined }
      }
      const object = this.#stored(deleted.item)
      const { uid, resourceVersion } = object.metadata
      const version = deleted.stays ? resourceVersion : undefined
      if (!options.dryRun) this.#announce(at, uid, version)
      return { uid, object }
    })
  }

  /**
   * Scopes are not told of it: informers learn of the single deletions by their watch. The objects
   * are parsed when they are first asked for.
   */
  deleteCollection(
    ...[selection, options = {}, signal]: Parameters<Resource<T>['deleteCollection']>
  ): Promise<List<T>> {
    return this.#run(signal, async () => {
      this.#options.beforeWrite()
      const { items, resourceVersion } = await this.#registry.deleteCollection(
        this.#collection,
        selection,
        deleteOptions('', options),
      )
      let objects: readonly Stored<T>[] | undefined
      return {
        resourceVersion,
        get items() {
          objects ??= items.map((item) => item.object() as Stored<T>)
          return objects
        },
      }
    })
  }

  /** Where collections are read: in the bound namespace, or in all of them. */
  get #collection(): Target {
    const { kind, namespace } = this.#options
    return kind.scope === 'Cluster' || namespace === undefined ? { kind } : { kind, namespace }
  }

  /** What a verb is about: a named object, or a subresource of it. */
  #target(
    target: Parameters<typeof targetKey>[0],
    { subresource }: UpdateOptions = {},
  ): Target & { readonly name: string } {
    const { name, namespace } = targetKey(target)
    if (name === '') throw new StatusError('BadRequest', 'name: "" cannot name an object')
    return {
      kind: this.#options.kind,
      name,
      ...this.#namespaceOf({ namespace }),
      ...(subresource !== undefined && { subresource }),
    }
  }

  /** The namespace of a name: its own, the bound one, or the client's. None for a kind without namespaces. */
  #namespaceOf({ namespace }: { readonly namespace?: string | undefined }): {
    readonly namespace?: string
  } {
    const { kind, defaultNamespace, namespace: bound } = this.#options
    if (kind.scope === 'Cluster') return {}
    return { namespace: namespace ?? bound ?? defaultNamespace }
  }

  /** Applies a patch of one of the four types. */
  async #patch(
    type: PatchType,
    key: string | Key,
    body: Body,
    options: UpdateOptions = {},
    signal?: AbortSignal,
    more: Partial<WriteOptions> = {},
  ): Promise<Stored<T>> {
    const target = this.#target(key, options)
    return this.#write(signal, options, (writing) =>
      this.#registry.patch(target, type, body, { ...writing, ...more }),
    )
  }

  /** Writes as the client's manager, and tells of it. */
  #write(
    signal: AbortSignal | undefined,
    { dryRun = false, fieldValidation = 'Ignore' }: UpdateOptions,
    write: (options: WriteOptions) => Promise<{ readonly item: Item }>,
  ): Promise<Stored<T>> {
    return this.#run(signal, async () => {
      const { manager, beforeWrite } = this.#options
      beforeWrite()
      const object = this.#stored((await write({ dryRun, fieldValidation, manager })).item)
      const { uid, resourceVersion } = object.metadata
      if (!dryRun) this.#announce(keyIn(object.metadata), uid, resourceVersion)
      return object
    })
  }

  /**
   * Runs a verb, unless one of its signals has aborted. A verb that has begun is not ended by a
   * signal: it is a call in the process and settles soon. Every error comes out as a StatusError.
   */
  async #run<R>(signal: AbortSignal | undefined, verb: () => Promise<R>): Promise<R> {
    for (const one of [signal, ...this.#options.signals]) {
      if (one?.aborted)
        throw new StatusError('Timeout', 'aborted before it began', { cause: one.reason })
    }
    try {
      return await verb()
    } catch (error) {
      throw toStatusError(error)
    }
  }

  /** Tells the client's scopes of a write. */
  #announce(
    { name, namespace }: Key,
    uid: string | undefined,
    resourceVersion: string | undefined,
  ): void {
    const { kind, onWrite } = this.#options
    onWrite({ kind, name, namespace, uid, resourceVersion })
  }

  /** The parsed object of an item: one for all readers. */
  #stored(item: Item): Stored<T> {
    return item.object() as Stored<T>
  }

  /**
   * An object as the registry takes it, with the kind that it has anyway. What the object says of
   * kind and apiVersion wins, so that a wrong one is the registry's to refuse.
   */
  #body(object: object): Body {
    const { kind } = this.#options
    return {
      value: toJson({ kind: kind.kind, apiVersion: apiVersionOf(kind), ...object }),
      duplicates: [],
    }
  }
}
