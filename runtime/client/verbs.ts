import type { JsonObject } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import { type ApiObject, apiVersionOf, type Stored } from '../kernel/object.ts'
import { isStatus, StatusError } from '../kernel/status.ts'
import type { Call, Caller } from './call.ts'
import { deleteBody, removal } from './deletion.ts'
import { fromStatus } from './errors.ts'
import { collectionPath, objectPath, withQuery } from './paths.ts'
import type {
  Key,
  ListOptions,
  PatchOptions,
  Resource,
  Selection,
  WatchEvent,
  Write,
  WriteOptions,
} from './resource.ts'

export interface ResourceOptions<T extends ApiObject> {
  readonly kind: Kind<T>
  readonly caller: Caller
  /** The namespace that names are looked up in when nothing else says one. */
  readonly home: string
  /** The namespace this resource is bound to. */
  readonly bound?: string
  /** Who applies where nobody else is named. */
  readonly manager: string
  readonly wrote: (write: Write) => void
}

/** The verbs of one kind over one caller. */
export function createResource<T extends ApiObject>(options: ResourceOptions<T>): Resource<T> {
  const { kind, caller, home, bound, manager, wrote } = options
  const collection = (): string => collectionPath(kind, bound)
  const resource: Resource<T> = {
    kind,
    in: (namespace) => createResource({ ...options, bound: namespace }),

    get: async (key, signal) => stored(await call('GET', pathOf(key), { signal })),

    async find(key, signal) {
      try {
        return await resource.get(key, signal)
      } catch (error) {
        if (isStatus(error, 'NotFound')) return undefined
        throw error
      }
    },

    async *list(listing = {}, signal) {
      for await (const page of pages(listing, signal)) yield* page.items.map(stored)
    },

    async listAll(listing = {}, signal) {
      const items: Stored<T>[] = []
      let resourceVersion = ''
      for await (const page of pages(listing, signal)) {
        for (const item of page.items) items.push(stored(item))
        resourceVersion ||= page.metadata.resourceVersion
      }
      return { items, resourceVersion }
    },

    async *watch({ bookmarks, ...watching }, signal) {
      const query = { ...watching, watch: true, allowWatchBookmarks: bookmarks }
      const path = withQuery(collection(), query)
      for await (const event of caller.stream({ method: 'GET', path, signal })) {
        const { type, object } = event as { type: string; object: unknown }
        if (type === 'ERROR') throw fromStatus(object)
        yield { type, object: stored(object) } as WatchEvent<T>
      }
    },

    async create(object, writing = {}, signal) {
      const path = withQuery(collectionPath(kind, namespaceOf(object.metadata)), queryOf(writing))
      return written(await call('POST', path, { body: typed(object), signal }), writing)
    },

    update: (object, writing = {}, signal) => put(object, writing, undefined, signal),
    updateStatus: (object, writing = {}, signal) => put(object, writing, 'status', signal),

    mergePatch: (key, body, patching = {}, signal) =>
      patch(key, 'application/merge-patch+json', body, patching, signal),
    jsonPatch: (key, body, patching = {}, signal) =>
      patch(key, 'application/json-patch+json', body, patching, signal),

    async apply(intent, { manager: fieldManager = manager, force, ...patching } = {}, signal) {
      const { name } = intent.metadata
      const key = { name, ...namespaceIn(intent.metadata) }
      const type = 'application/apply-patch+yaml'
      return patch(key, type, typed(intent), patching, signal, { fieldManager, force })
    },

    async delete(target, deleting = {}, signal) {
      const key = keyOf(target)
      const path = objectPath(kind, namespaceOf(key), key.name)
      const answer = await call('DELETE', path, { body: deleteBody(target, deleting), signal })
      const { uid, object, left } = removal(kind, answer as JsonObject)
      const deleted = { uid, object: object === undefined ? undefined : stored(object) }
      const version = left ? deleted.object?.metadata.resourceVersion : undefined
      if (!deleting.dryRun) announce(key.name, namespaceOf(key), uid, version)
      return deleted
    },

    async deleteCollection(selection, deleting = {}, signal) {
      if (kind.scope === 'Namespaced' && bound === undefined) {
        throw new StatusError('BadRequest', `${kind.plural}: say which namespace to empty, by in()`)
      }
      const path = withQuery(collection(), { ...selection })
      const answer = await call('DELETE', path, { body: deleteBody('', deleting), signal })
      const { items, metadata } = answer as Page
      return { items: items.map(stored), resourceVersion: metadata.resourceVersion }
    },
  }
  return resource

  function call(method: Call['method'], path: string, rest: Partial<Call>): Promise<unknown> {
    return caller.call({ ...rest, method, path })
  }

  async function* pages(
    { pageSize = 500, ...selection }: ListOptions & Selection,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Page, void> {
    let token: string | undefined
    do {
      const query = { ...selection, limit: pageSize, continue: token }
      const page = (await call('GET', withQuery(collection(), query), { signal })) as Page
      yield page
      token = page.metadata.continue
    } while (token !== undefined && token !== '')
  }

  async function put(
    object: Parameters<Resource<T>['update']>[0],
    writing: WriteOptions,
    subresource: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Stored<T>> {
    const { name = '' } = object.metadata
    const path = objectPath(kind, namespaceOf(object.metadata), name, subresource)
    const request = { body: typed(object), signal }
    return written(await call('PUT', withQuery(path, queryOf(writing)), request), writing)
  }

  async function patch(
    key: string | Key,
    type: string,
    body: unknown,
    { subresource, ...writing }: PatchOptions,
    signal: AbortSignal | undefined,
    query: Parameters<typeof withQuery>[1] = {},
  ): Promise<Stored<T>> {
    const path = withQuery(pathOf(key, subresource), { ...query, ...queryOf(writing) })
    return written(await call('PATCH', path, { type, body, signal }), writing)
  }

  function written(answer: unknown, { dryRun }: WriteOptions): Stored<T> {
    const object = stored(answer)
    const { name, namespace, uid, resourceVersion } = object.metadata
    if (!dryRun) announce(name, namespace, uid, resourceVersion)
    return object
  }

  function announce(
    name: string,
    namespace: string | undefined,
    uid: string | undefined,
    resourceVersion: string | undefined,
  ): void {
    wrote({ kind, name, namespace, uid, resourceVersion })
  }

  function pathOf(key: string | Key, subresource?: string): string {
    const { name, namespace } = keyOf(key)
    return objectPath(kind, namespaceOf({ namespace }), name, subresource)
  }

  function namespaceOf({
    namespace,
  }: {
    readonly namespace?: string | undefined
  }): string | undefined {
    return kind.scope === 'Cluster' ? undefined : (namespace ?? bound ?? home)
  }

  /** Items of a list come without kind and apiVersion: what a caller gets always has them. */
  function stored(value: unknown): Stored<T> {
    return typed(value as object) as Stored<T>
  }

  function typed(object: object): object {
    return { kind: kind.kind, apiVersion: apiVersionOf(kind), ...object }
  }
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly unknown[]
}

/** The namespace that an intent names, if it names one. */
function namespaceIn(metadata: object): { readonly namespace?: string } {
  const { namespace } = metadata as { readonly namespace?: string }
  return namespace === undefined ? {} : { namespace }
}

function keyOf(target: string | Key | ApiObject): { name: string; namespace?: string | undefined } {
  if (typeof target === 'string') return { name: target }
  if (!('metadata' in target)) return target
  const { name = '', namespace } = target.metadata
  return { name, namespace }
}

function queryOf({ dryRun, fieldValidation }: WriteOptions): Record<string, string | undefined> {
  return { dryRun: dryRun ? 'All' : undefined, fieldValidation }
}
