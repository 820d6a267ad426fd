import type { Kind } from '../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import {
  type ApiObject,
  apiVersionOf,
  type NamedObject,
  type Stored,
} from '../kernel/meta/object.ts'
import type { JsonObject } from '../kernel/values/json.ts'
import { deleteOptionsBody, readDeleteResponse } from './delete.ts'
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
import type { RestClient, RestRequest } from './rest-client.ts'
import { errorFromStatus } from './status-errors.ts'

export interface ResourceOptions<T extends ApiObject> {
  readonly kind: Kind<T>
  readonly restClient: RestClient
  /** The namespace that names are looked up in when nothing else says one. */
  readonly defaultNamespace: string
  /** The namespace this resource is bound to. */
  readonly namespace?: string
  /** Who applies where nobody else is named. */
  readonly manager: string
  readonly onWrite: (write: Write) => void
}

/** The verbs of one kind over one caller. */
export function createResource<T extends ApiObject>(options: ResourceOptions<T>): Resource<T> {
  const {
    kind,
    restClient: caller,
    defaultNamespace: home,
    namespace: bound,
    manager,
    onWrite: wrote,
  } = options
  const collection = (): string => collectionPath(kind, bound)
  const resource: Resource<T> = {
    kind,
    in: (namespace) => createResource({ ...options, namespace: namespace }),

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
        if (type === 'ERROR') throw errorFromStatus(object)
        yield { type, object: stored(object) } as WatchEvent<T>
      }
    },

    async create(object, writing = {}, signal) {
      const path = withQuery(
        collectionPath(kind, namespaceOf(object.metadata)),
        writeQuery(writing),
      )
      return written(await call('POST', path, { body: typed(object), signal }), writing)
    },

    update: (object, { subresource, ...writing } = {}, signal) =>
      put(object, writing, subresource, signal),
    updateStatus: (object, writing = {}, signal) => put(object, writing, 'status', signal),

    mergePatch: (key, body, patching = {}, signal) =>
      patch(key, 'application/merge-patch+json', body, patching, signal),
    jsonPatch: (key, body, patching = {}, signal) =>
      patch(key, 'application/json-patch+json', body, patching, signal),

    async apply(intent, { manager: fieldManager = manager, force, ...patching } = {}, signal) {
      const { name } = intent.metadata
      const key = { name, ...namespaceField(intent.metadata) }
      const type = 'application/apply-patch+yaml'
      return patch(key, type, typed(intent), patching, signal, { fieldManager, force })
    },

    async delete(target, deleting = {}, signal) {
      const key = targetKey(target)
      const path = objectPath(kind, namespaceOf(key), key.name)
      const answer = await call('DELETE', path, {
        body: deleteOptionsBody(target, deleting),
        signal,
      })
      const { uid, object, left } = readDeleteResponse(kind, answer as JsonObject)
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
      const answer = await call('DELETE', path, { body: deleteOptionsBody('', deleting), signal })
      const { items, metadata } = answer as ListPage
      return { items: items.map(stored), resourceVersion: metadata.resourceVersion }
    },
  }
  return resource

  function call(
    method: RestRequest['method'],
    path: string,
    rest: Partial<RestRequest>,
  ): Promise<unknown> {
    return caller.send({ ...rest, method, path })
  }

  async function* pages(
    { pageSize = 500, ...selection }: ListOptions & Selection,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ListPage, void> {
    let token: string | undefined
    do {
      const query = { ...selection, limit: pageSize, continue: token }
      const page = (await call('GET', withQuery(collection(), query), { signal })) as ListPage
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
    const { name } = object.metadata
    const path = objectPath(kind, namespaceOf(object.metadata), name, subresource)
    const request = { body: typed(object), signal }
    return written(await call('PUT', withQuery(path, writeQuery(writing)), request), writing)
  }

  async function patch(
    key: string | Key,
    type: string,
    body: unknown,
    { subresource, ...writing }: PatchOptions,
    signal: AbortSignal | undefined,
    query: Parameters<typeof withQuery>[1] = {},
  ): Promise<Stored<T>> {
    const path = withQuery(pathOf(key, subresource), { ...query, ...writeQuery(writing) })
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
    const { name, namespace } = targetKey(key)
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

interface ListPage {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly unknown[]
}

/** The namespace that an intent names, if it names one. */
function namespaceField(metadata: object): { readonly namespace?: string } {
  const { namespace } = metadata as { readonly namespace?: string }
  return namespace === undefined ? {} : { namespace }
}

function targetKey(target: string | Key | NamedObject): {
  name: string
  namespace?: string | undefined
} {
  if (typeof target === 'string') return { name: target }
  if (!('metadata' in target)) return target
  const { name, namespace } = target.metadata
  return { name, namespace }
}

function writeQuery({ dryRun, fieldValidation }: WriteOptions): Record<string, string | undefined> {
  return { dryRun: dryRun ? 'All' : undefined, fieldValidation }
}
