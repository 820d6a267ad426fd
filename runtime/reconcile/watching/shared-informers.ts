import type { Client, Write } from '../../client/client.ts'
import {
  type CacheReader,
  createInformer,
  type Informer,
  joinCaches,
} from '../../informer/informer.ts'
import { aborted } from '../../kernel/async/abort-signal.ts'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import { resourceName } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import { fieldValue, keepsPart } from '../changes/field-paths.ts'
import type { Watch } from '../controller/key-controller.ts'
import { ownerIndex } from '../objects/object-controller.ts'
import { type Accepts, type WakeUpOptions, type WakeUps, wakeUps } from './wake-ups.ts'

/** What all informers of a manager have in common. */
export interface SharedInformersOptions {
  readonly client: Client
  /** The namespace of watches that name none. Default: all of them. */
  readonly namespace?: string
  /** What caches keep of an object where a watch does not say. Default: all of it. */
  readonly defaultTransform?: (object: Stored<ApiObject>) => Stored<ApiObject>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly keepAlive: boolean
  /** Hears of a kind that cannot be listed: it is not served, or not to this user. */
  readonly onRefused: (error: StatusError) => void
}

/** What is watched in one namespace, or in all of them. */
interface Place {
  readonly watch: Watch
  readonly namespace: string | undefined
}

/** An informer, and for whom it runs. */
interface Shared extends Place {
  readonly informer: Informer<ApiObject>
  readonly indexes: Map<string, NonNullable<Watch['indexes']>[string]>
  /** How many watch it: those that were declared, and those that follow for a time. */
  users: number
  readonly stop: AbortController
  running: Promise<void> | undefined
}

/** Where the keys of one controller go, and what wakes them. */
export interface Waking extends Pick<WakeUpOptions, 'queue' | 'queueIn' | 'lookup'> {
  /** Wakes the keys of all cached objects that `accepts` says, by each watch. */
  readonly again: Set<(accepts: Accepts) => void>
}

/**
 * The informers of a manager: one for all watches of the same kind and scope. Watches that keep a part of objects read the cache of a
 * watch that keeps the whole of the same ones, where there is one.
 */
export class SharedInformers {
  readonly #options: SharedInformersOptions
  /** By version and resource. */
  readonly #informers = new Map<string, Set<Shared>>()
  readonly #expected: Place[] = []
  #signal: AbortSignal | undefined

  constructor(options: SharedInformersOptions) {
    this.#options = options
  }

  /** Tells what will be watched, so that a watch of parts finds the whole objects whose watch comes after it. */
  expect(watches: readonly Watch[]): void {
    this.#expected.push(...watches.flatMap((watch) => this.#placesOf(watch)))
  }

  /** Adds the keys that `watch` wakes to the queue from now on; gives the cache of what it watches. */
  enqueue(watch: Watch, waking: Waking): CacheReader<ApiObject> {
    const all = this.#sharedOf(watch)
    this.#wake(watch, all, waking)
    return joinCaches(all.map(({ informer }) => informer.cache))
  }

  /** Like enqueue, until `signal` aborts; gives the cache when it is filled. */
  async follow(watch: Watch, waking: Waking, signal: AbortSignal): Promise<CacheReader<ApiObject>> {
    const all = this.#sharedOf(watch)
    const leave = this.#wake(watch, all, waking)
    const end = (): void => {
      leave()
      for (const one of all) this.#release(one)
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    for (const one of all) this.#start(one)
    await Promise.race([Promise.all(all.map(({ informer }) => informer.synced)), aborted(signal)])
    return joinCaches(all.map(({ informer }) => informer.cache))
  }

  /** Lets informers wake the keys of a watch, until what it gives is called. */
  #wake(watch: Watch, all: readonly Shared[], waking: Waking): () => void {
    const { clock, log } = this.#options
    const { again } = waking
    const wakes: WakeUps = wakeUps(watch, { ...waking, clock, log })
    const leave = all.map(({ informer }) => informer.on(wakes))
    const listed = (accepts: Accepts): void => {
      for (const { informer } of all) wakes.listed(informer.cache.list(), accepts)
    }
    again.add(listed)
    return () => {
      again.delete(listed)
      for (const off of leave) off()
    }
  }

  /** Runs every informer until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const one of this.#all()) this.#start(one)
    await aborted(signal)
    const all = this.#all()
    for (const { stop } of all) stop.abort()
    await Promise.all(all.map(({ running }) => running))
  }

  /** Resolves when every cache has its first list. */
  async synced(): Promise<void> {
    await Promise.all(this.#all().map(({ informer }) => informer.synced))
  }

  /** What a write gave is in the caches from now on, without waiting for the watch. */
  show({ kind, object }: Write): void {
    if (object === undefined) return
    const { namespace: home } = object.metadata as { readonly namespace?: string }
    for (const { watch, namespace, informer } of this.#informers.get(versionOf(kind)) ?? []) {
      const isWhole = watch.labelSelector === undefined && watch.fieldSelector === undefined
      const isThere = namespace === undefined || namespace === home
      if (isWhole && isThere) informer.show(object)
    }
  }

  #start(one: Shared): void {
    if (this.#signal === undefined || this.#signal.aborted || one.running !== undefined) return
    one.running = one.informer.run(one.stop.signal)
  }

  #release(one: Shared): void {
    one.users--
    if (one.users > 0) return
    one.stop.abort()
    this.#informers.get(versionOf(one.watch.kind))?.delete(one)
  }

  #all(): readonly Shared[] {
    return [...this.#informers.values()].flatMap((same) => [...same])
  }

  #placesOf(watch: Watch): readonly Place[] {
    const { namespace = this.#options.namespace, namespaces = [namespace] } = watch
    return namespaces.map((each) => ({ watch, namespace: each }))
  }

  #sharedOf(watch: Watch): readonly Shared[] {
    return this.#placesOf(watch).map((place) => {
      const one = this.#oneOf(this.#wholeOf(place) ?? place)
      one.users++
      addIndexes(one, watch)
      return one
    })
  }

  /** What keeps the whole of the objects of which a watch keeps a part. */
  #wholeOf({ watch, namespace }: Place): Place | undefined {
    if (!keepsPart(watch.transform)) return undefined
    const known = this.#informers.get(versionOf(watch.kind)) ?? []
    return [...known, ...this.#expected].find(
      (one) =>
        one.namespace === namespace &&
        one.watch.transform === undefined &&
        areSameObjects(one.watch, watch),
    )
  }

  #oneOf({ watch, namespace }: Place): Shared {
    const version = versionOf(watch.kind)
    const known = this.#informers.get(version) ?? new Set()
    const found = [...known].find(
      (one) => one.namespace === namespace && isSameScope(one.watch, watch),
    )
    if (found !== undefined) return found
    const informer = this.#createInformer(watch, namespace)
    const rest = { indexes: new Map(), users: 0, running: undefined }
    const one: Shared = { watch, namespace, informer, stop: new AbortController(), ...rest }
    this.#informers.set(version, known.add(one))
    return one
  }

  #createInformer(watch: Watch, namespace: string | undefined): Informer<ApiObject> {
    const { client, keepAlive, clock, random, log, onRefused, defaultTransform } = this.#options
    const { kind, labelSelector, fieldSelector, metadataOnly } = watch
    const { transform = defaultTransform } = watch
    const everywhere = client.resource<ApiObject>(kind)
    const resource = namespace === undefined ? everywhere : everywhere.in(namespace)
    return createInformer(resource, {
      ...{ clock, random, log, keepAlive, onRefused },
      indexers: { [ownerIndex]: ownerUid },
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(transform !== undefined && { transform }),
      ...(metadataOnly && { metadataOnly }),
    })
  }
}

/** Adds what a watch wants objects to be found by. Two watches of one cache may not mean different things by one name. */
function addIndexes({ informer, indexes }: Shared, { kind, indexes: wanted = {} }: Watch): void {
  for (const [name, index] of Object.entries(wanted)) {
    const known = indexes.get(name)
    if (known === index) continue
    invariant(known === undefined, `two controllers index ${kind.kind} as ${name}, each otherwise`)
    indexes.set(name, index)
    informer.addIndex(name, typeof index === 'string' ? (object) => textAt(object, index) : index)
  }
}

/** The value at a path as text; each of them if there is a list. */
function textAt(object: Stored<ApiObject>, path: string): readonly string[] {
  const value = fieldValue(object, path)
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}

/** A kind as objects of one version have it. */
function versionOf(kind: Watch['kind']): string {
  return `${kind.version} ${resourceName(kind)}`
}

function areSameObjects(one: Watch, other: Watch): boolean {
  return (
    versionOf(one.kind) === versionOf(other.kind) &&
    one.labelSelector === other.labelSelector &&
    one.fieldSelector === other.fieldSelector
  )
}

function isSameScope(one: Watch, other: Watch): boolean {
  return (
    areSameObjects(one, other) &&
    one.transform === other.transform &&
    one.metadataOnly === other.metadataOnly
  )
}

function ownerUid(object: ApiObject): readonly string[] {
  const owner = controllerOf(object)
  return owner === undefined ? [] : [owner.uid]
}
