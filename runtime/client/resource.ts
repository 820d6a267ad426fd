import type { Kind } from '../kernel/descriptors/kind.ts'
import type { ApiObject, NamedObject, Stored } from '../kernel/meta/object.ts'
import type { ApplyConfiguration } from './apply-configuration.ts'
import type { JsonPatch, MergePatch } from './patch.ts'

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

/** Which objects of a collection are meant; without any selector, all of them. */
export interface Selection {
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export interface ListOptions extends Selection {
  /** Objects per request. Default 500. */
  readonly pageSize?: number
}

export interface WatchOptions extends Selection {
  /** Changes after this revision; without it, the present objects first, as ADDED. */
  readonly resourceVersion?: string
  /** Ask for BOOKMARK events, which say how far the stream has come. */
  readonly bookmarks?: boolean
  /** How long the server keeps the stream open; without it, the server decides. */
  readonly timeoutSeconds?: number
}

export interface WriteOptions {
  /** Check everything, store nothing. */
  readonly dryRun?: boolean
  /** What the server does about fields it does not know. Default: it warns. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

/** Which part of an object a write is of: a subresource of its kind, such as `status`. Default: the object itself. */
export interface UpdateOptions extends WriteOptions {
  readonly subresource?: string
}

export type PatchOptions = UpdateOptions

export interface ApplyOptions extends PatchOptions {
  /** Whose intent it is. Default: the client's own manager. */
  readonly manager?: string
  /** Takes fields from managers that want them otherwise. Default: such an apply fails `Conflict`. */
  readonly force?: boolean
}

export interface DeleteOptions {
  readonly dryRun?: boolean
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  /** Fails `Conflict` if the object is another one than the one given, or has changed since. */
  readonly unchanged?: boolean
}

/** What a deletion came to: `object` is there if the server answered with it, because finalizers hold it or by kind. */
export interface Deleted<T extends ApiObject> {
  readonly uid: string | undefined
  readonly object: Stored<T> | undefined
}

/** Objects as of one revision. */
export interface List<T extends ApiObject> {
  readonly items: readonly Stored<T>[]
  readonly resourceVersion: string
}

/** One change as a watch tells it. The object of a BOOKMARK holds nothing but its resourceVersion. */
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
  /** The object's version after the write; absent when it was deleted. */
  readonly resourceVersion: string | undefined
}

/**
 * The verbs of one kind. Collections span all namespaces unless the resource is bound to one by `in`. Every verb fails
 * with a StatusError and nothing else.
 */
export interface Resource<T extends ApiObject> {
  readonly kind: Kind<T>
  /** The same verbs, bound to one namespace. */
  in(namespace: string): Resource<T>

  get(key: string | Key, signal?: AbortSignal): Promise<Stored<T>>
  /** Like get, but an object that is not there is undefined. */
  find(key: string | Key, signal?: AbortSignal): Promise<Stored<T> | undefined>
  /** Objects in key order, one page in memory at a time, all as of one revision. */
  list(options?: ListOptions, signal?: AbortSignal): AsyncIterable<Stored<T>>
  listAll(options?: ListOptions, signal?: AbortSignal): Promise<List<T>>
  /** Changes until `signal` aborts or the server ends the stream. Fails `Expired` when history is gone: list again. */
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>

  create(object: Draft<T>, options?: WriteOptions, signal?: AbortSignal): Promise<Stored<T>>
  /** Replaces an object. Fails `Conflict` if it changed since the given resourceVersion. */
  update(object: NamedDraft<T>, options?: UpdateOptions, signal?: AbortSignal): Promise<Stored<T>>
  /** Like update, of the status alone. */
  updateStatus(
    object: NamedDraft<T>,
    options?: WriteOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>
  mergePatch(
    key: string | Key,
    patch: MergePatch<T>,
    options?: PatchOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>
  jsonPatch(
    key: string | Key,
    patch: JsonPatch,
    options?: PatchOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>
  /**
   * Server-side apply: makes the object what the intent says, or makes it if it is not there, and books the fields of the
   * intent to its manager. Fails `Conflict`, with a cause for each field, where another manager wants another value.
   */
  apply(
    intent: ApplyConfiguration<T>,
    options?: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>>
  delete(
    target: string | Key | Stored<T>,
    options?: DeleteOptions,
    signal?: AbortSignal,
  ): Promise<Deleted<T>>
  /** Deletes what is selected, in the bound namespace; the list holds what was deleted. */
  deleteCollection(
    selection: Selection,
    options?: DeleteOptions,
    signal?: AbortSignal,
  ): Promise<List<T>>
}
