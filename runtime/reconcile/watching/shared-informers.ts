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
import { fieldValue } from '../changes/field-paths.ts'
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

/** An informer, and for whom it runs. */
interface Shared {
  readonly watch: Watch
  readonly namespace: string | undefined
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

/** The informers of a manager: one for all watches of the same kind and scope. */
export class SharedInformers {
  readonly #options: SharedInformersOptions
  readonly #informers = new Set<Shared>()
  #signal: AbortSignal | undefined

  constructor(options: SharedInformersOptions) {
    this.#options = options
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
    for (const one of this.#informers) this.#start(one)
    await aborted(signal)
    const all = [...this.#informers]
    for (const { stop } of all) stop.abort()
    await Promise.all(all.map(({ running }) => running))
  }

  /** Resolves when every cache has its first list. */
  async synced(): Promise<void> {
    await Promise.all([...this.#informers].map(({ informer }) => informer.synced))
  }

  /** What a write gave is in the caches from now on, without waiting for the watch. */
  show({ kind, object }: Write): void {
    if (object === undefined) return
    for (const { watch, namespace, informer } of this.#informers) {
      const isWhole = watch.labelSelector === undefined && watch.fieldSelector === undefined
      const { namespace: home } = object.metadata as { readonly namespace?: string }
      const isThere = namespace === undefined || namespace === home
      if (isWhole && isThere && isSameVersion(watch.kind, kind)) informer.show(object)
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
    this.#informers.delete(one)
  }

  #sharedOf(watch: Watch): readonly Shared[] {
    const { namespace = this.#options.namespace, namespaces = [namespace] } = watch
    return namespaces.map((each) => this.#oneOf(watch, each))
  }

  #oneOf(watch: Watch, namespace: string | undefined): Shared {
    let one = [...this.#informers].find(
      (known) => known.namespace === namespace && isSameScope(known.watch, watch),
    )
    if (one === undefined) {
      const informer = this.#createInformer(watch, namespace)
      const stop = new AbortController()
      one = { watch, namespace, informer, stop, indexes: new Map(), users: 0, running: undefined }
      this.#informers.add(one)
    }
    one.users++
    addIndexes(one, watch)
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

function isSameVersion(one: Watch['kind'], other: Watch['kind']): boolean {
  return resourceName(one) === resourceName(other) && one.version === other.version
}

function isSameScope(one: Watch, other: Watch): boolean {
  return (
    isSameVersion(one.kind, other.kind) &&
    one.labelSelector === other.labelSelector &&
    one.fieldSelector === other.fieldSelector &&
    one.transform === other.transform &&
    one.metadataOnly === other.metadataOnly
  )
}

function ownerUid(object: ApiObject): readonly string[] {
  const owner = controllerOf(object)
  return owner === undefined ? [] : [owner.uid]
}
