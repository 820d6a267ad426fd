import type { Kind } from '../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf, type Stored } from '../kernel/meta/object.ts'
import { keyIn, targetKey } from '../kernel/meta/object-key.ts'
import type { JsonObject } from '../kernel/values/json.ts'
import { deleteOptionsBody, readDeleteResponse } from './delete.ts'
import { isNotServed, type RequestSubject } from './error-advice.ts'
import { collectionPath, objectPath, withQuery } from './paths.ts'
import type { Deleted, Key, List, Resource, WatchEvent, Write } from './resource.ts'
import type { ListOptions, UpdateOptions, WriteOptions } from './resource-options.ts'
import type { RestClient, RestRequest } from './rest-client.ts'
import { type ScalableResource, type ScaleVerbs, scaleVerbs } from './scale.ts'
import { errorFromStatus } from './status-errors.ts'

/** What the verbs of one kind are made of. */
export interface ResourceClientOptions<T extends ApiObject> {
  readonly kind: Kind<T>
  readonly restClient: RestClient
  /** The namespace of names that come without one, where the resource is bound to none. */
  readonly defaultNamespace: string
  /** The namespace this resource is bound to. */
  readonly namespace?: string
  /** Who applies where no other manager is named. */
  readonly manager: string
  readonly onWrite: (write: Write) => void
  /** What the server may call the group `meta`. */
  readonly metaGroups: readonly string[]
}

/** The arguments of a verb. */
type Arguments<T extends ApiObject, V extends keyof Resource<T>> = Resource<T>[V] extends (
  ...args: infer A
) => unknown
  ? A
  : never

type Query = Parameters<typeof withQuery>[1]

/** The verbs of one kind as REST requests. */
export class ResourceClient<T extends ApiObject> implements ScalableResource<T> {
  readonly kind: Kind<T>
  readonly #options: ResourceClientOptions<T>

  constructor(options: ResourceClientOptions<T>) {
    this.kind = options.kind
    this.#options = options
  }

  in(namespace: string): ScalableResource<T> {
    return new ResourceClient({ ...this.#options, namespace })
  }

  async get(...[key, signal]: Arguments<T, 'get'>): Promise<Stored<T>> {
    const request = { subject: this.#subject('get', key), signal }
    return this.#stored(await this.#send('GET', this.#pathOf(key), request))
  }

  async find(...[key, signal]: Arguments<T, 'find'>): Promise<Stored<T> | undefined> {
    try {
      return await this.get(key, signal)
    } catch (error) {
      if (isStatus(error, 'NotFound') && !isNotServed(error)) return undefined
      throw error
    }
  }

  async *list(...[options = {}, signal]: Arguments<T, 'list'>): AsyncGenerator<Stored<T>, void> {
    for await (const { items } of this.#pages(options, signal)) {
      for (const item of items ?? []) yield this.#read(item, options)
    }
  }

  async listAll(
    ...[{ transform, ...options } = {}, signal]: Arguments<T, 'listAll'>
  ): Promise<List<T>> {
    const objects: Stored<T>[] = []
    let revision: string | undefined
    const first = transform === undefined ? undefined : firstPage
    for await (const { items, metadata } of this.#pages(options, signal, first)) {
      for (const item of items ?? []) {
        const object = this.#read(item, options)
        objects.push(transform === undefined ? object : transform(object))
      }
      revision ??= metadata.resourceVersion
    }
    return { items: objects, resourceVersion: revision ?? '' }
  }

  async *watch(
    ...[{ bookmarks, metadataOnly, ...options }, signal]: Arguments<T, 'watch'>
  ): AsyncGenerator<WatchEvent<T>, void> {
    const query = { ...options, watch: true, allowWatchBookmarks: bookmarks }
    const path = withQuery(this.#collection, query)
    const accept = this.#accept('PartialObjectMetadata', metadataOnly)
    const subject = this.#subject('watch')
    const request = { method: 'GET', path, signal, subject, ...accept } as const
    for await (const event of this.#options.restClient.stream(request)) {
      const { type, object } = event as { type: string; object: unknown }
      if (type === 'ERROR') throw errorFromStatus(object)
      yield { type, object: this.#read(object, { metadataOnly }) } as WatchEvent<T>
    }
  }

  async create(...[object, options = {}, signal]: Arguments<T, 'create'>): Promise<Stored<T>> {
    const path = collectionPath(this.kind, this.#namespaceOf(object.metadata))
    const request = { body: this.#typed(object), subject: this.#subject('create'), signal }
    return this.#write('POST', withQuery(path, writeQuery(options)), request, options)
  }

  async update(...[object, options = {}, signal]: Arguments<T, 'update'>): Promise<Stored<T>> {
    const path = withQuery(this.#pathOf(object, options.subresource), writeQuery(options))
    const subject = this.#subject('update', object, options.subresource)
    return this.#write('PUT', path, { body: this.#typed(object), subject, signal }, options)
  }

  async updateStatus(
    ...[object, options, signal]: Arguments<T, 'updateStatus'>
  ): Promise<Stored<T>> {
    return this.update(object, { ...options, subresource: 'status' }, signal)
  }

  scale(key: string | Key): ScaleVerbs {
    return scaleVerbs(this, key)
  }

  async getSubresource<S>(
    key: string | Key,
    subresource: string,
    signal?: AbortSignal,
    query: Readonly<Record<string, string>> = {},
  ): Promise<S> {
    const request = { subject: this.#subject('get', key, subresource), signal }
    const path = withQuery(this.#pathOf(key, subresource), query)
    return (await this.#send('GET', path, request)) as S
  }

  async createSubresource<S>(
    key: string | Key,
    subresource: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<S> {
    const request = { body, subject: this.#subject('create', key, subresource), signal }
    return (await this.#send('POST', this.#pathOf(key, subresource), request)) as S
  }

  async mergePatch(
    ...[key, body, options = {}, signal]: Arguments<T, 'mergePatch'>
  ): Promise<Stored<T>> {
    return this.#patch(key, { type: 'application/merge-patch+json', body, signal }, options)
  }

  async jsonPatch(
    ...[key, body, options = {}, signal]: Arguments<T, 'jsonPatch'>
  ): Promise<Stored<T>> {
    return this.#patch(key, { type: 'application/json-patch+json', body, signal }, options)
  }

  async apply(
    ...[configuration, { manager, force, ...options } = {}, signal]: Arguments<T, 'apply'>
  ): Promise<Stored<T>> {
    const body = this.#typed(configuration)
    const query = { fieldManager: manager ?? this.#options.manager, force }
    const request = { type: 'application/apply-patch+yaml', body, signal }
    return this.#patch(keyIn(configuration.metadata), request, options, query)
  }

  async delete(...[target, options = {}, signal]: Arguments<T, 'delete'>): Promise<Deleted<T>> {
    const body = deleteOptionsBody(target, options)
    const request = { body, subject: this.#subject('delete', target), signal }
    const response = await this.#send('DELETE', this.#pathOf(target), request)
    const { uid, object, left } = readDeleteResponse(this.kind, response as JsonObject)
    const deleted = { uid, object: object === undefined ? undefined : this.#stored(object) }
    const resourceVersion = left ? deleted.object?.metadata.resourceVersion : undefined
    if (!options.dryRun) {
      const { name, namespace } = targetKey(target)
      this.#announce({ name, namespace: this.#namespaceOf({ namespace }), uid, resourceVersion })
    }
    return deleted
  }

  async deleteCollection(
    ...[selection, options = {}, signal]: Arguments<T, 'deleteCollection'>
  ): Promise<List<T>> {
    const { scope, plural } = this.kind
    if (scope === 'Namespaced' && this.#options.namespace === undefined) {
      throw new StatusError('BadRequest', `${plural}: say which namespace to empty, by in()`)
    }
    const path = withQuery(this.#collection, { ...selection })
    const body = deleteOptionsBody('', options)
    const request = { body, subject: this.#subject('deletecollection'), signal }
    const { items, metadata } = (await this.#send('DELETE', path, request)) as ListPage
    return {
      items: (items ?? []).map((item) => this.#stored(item)),
      resourceVersion: metadata.resourceVersion,
    }
  }

  get #collection(): string {
    return collectionPath(this.kind, this.#options.namespace)
  }

  #send(method: RestRequest['method'], path: string, rest: Partial<RestRequest>): Promise<unknown> {
    return this.#options.restClient.send({ ...rest, method, path })
  }

  async #write(
    method: RestRequest['method'],
    path: string,
    request: Partial<RestRequest>,
    { dryRun }: WriteOptions,
  ): Promise<Stored<T>> {
    const object = this.#stored(await this.#send(method, path, request))
    if (!dryRun) this.#announce(object.metadata, object)
    return object
  }

  #patch(
    key: string | Key,
    request: Partial<RestRequest>,
    options: UpdateOptions,
    query: Query = {},
  ): Promise<Stored<T>> {
    const path = this.#pathOf(key, options.subresource)
    const all = { ...query, ...writeQuery(options) }
    const subject = this.#subject('patch', key, options.subresource)
    return this.#write('PATCH', withQuery(path, all), { ...request, subject }, options)
  }

  /** Pages of at most `pageSize` objects; the first one of `first`, those behind it of about `pageBytes`. */
  async *#pages(
    { pageSize = 500, metadataOnly, at, ...selection }: ListOptions,
    signal: AbortSignal | undefined,
    first = pageSize,
  ): AsyncGenerator<ListPage, void> {
    let token: string | undefined
    let limit = Math.min(first, pageSize)
    const received = (bytes: number): void => {
      limit = Math.min(pageSize, Math.max(1, Math.floor((limit * pageBytes) / bytes)))
    }
    const exact = at !== undefined && { resourceVersion: at, resourceVersionMatch: 'Exact' }
    do {
      const begin = token === undefined && exact
      const query = { ...selection, limit, continue: token, ...begin }
      const accept = this.#accept('PartialObjectMetadataList', metadataOnly)
      const request = { subject: this.#subject('list'), signal, received, ...accept }
      const page = await this.#send('GET', withQuery(this.#collection, query), request)
      yield page as ListPage
      token = (page as ListPage).metadata.continue
    } while (token !== undefined && token !== '')
  }

  /** What asks for a conversion to metadata, by every name that a server may have for it. One that has it not sends whole objects. */
  #accept(as: string, metadataOnly: boolean | undefined): Pick<RestRequest, 'accept'> {
    if (!metadataOnly) return {}
    const { metaGroups } = this.#options
    const conversions = metaGroups.map((group) => `application/json;as=${as};g=${group};v=v1`)
    return { accept: [...conversions, 'application/json'].join(',') }
  }

  /** An object of a list or a watch. One that was asked for without more than its metadata has no more. */
  #read(value: unknown, { metadataOnly }: { readonly metadataOnly?: boolean | undefined }) {
    if (!metadataOnly) return this.#stored(value)
    return this.#stored({ metadata: (value as ApiObject).metadata })
  }

  #subject(
    verb: string,
    target?: Parameters<typeof targetKey>[0],
    subresource?: string,
  ): RequestSubject {
    const name = target === undefined ? {} : { name: targetKey(target).name }
    return { kind: this.kind, verb, ...name, subresource }
  }

  #announce({ name, namespace, uid, resourceVersion }: Announced, answer?: Stored<T>): void {
    const write = { kind: this.kind, name, namespace, uid, resourceVersion }
    const isWhole = answer?.kind === this.kind.kind
    this.#options.onWrite(isWhole ? { ...write, object: answer } : write)
  }

  #pathOf(target: Parameters<typeof targetKey>[0], subresource?: string): string {
    const { name, namespace } = targetKey(target)
    return objectPath(this.kind, this.#namespaceOf({ namespace }), name, subresource)
  }

  #namespaceOf({ namespace }: { readonly namespace?: string | undefined }): string | undefined {
    const { namespace: bound, defaultNamespace } = this.#options
    return this.kind.scope === 'Cluster' ? undefined : (namespace ?? bound ?? defaultNamespace)
  }

  /** Items of a list come without kind and apiVersion: what a caller gets always has them. */
  #stored(value: unknown): Stored<T> {
    return this.#typed(value as object) as Stored<T>
  }

  #typed(object: object): object {
    return { kind: this.kind.kind, apiVersion: apiVersionOf(this.kind), ...object }
  }
}

type Announced = { readonly [P in keyof Omit<Write, 'kind'>]?: Write[P] } & {
  readonly name: string
}

/** Bytes of a page behind the first one, about: how long objects are is known then. */
const pageBytes = 4 * 1024 * 1024

/** Objects of the first page for a reader that keeps less than is sent: it may have far less room than they take. */
const firstPage = 50

interface ListPage {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  /** Public servers say null for a list of metadata without items. */
  readonly items: readonly unknown[] | null
}

function writeQuery({ dryRun, fieldValidation }: WriteOptions): Query {
  return { dryRun: dryRun ? 'All' : undefined, fieldValidation }
}
