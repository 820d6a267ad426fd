import type { Client } from '../client/client.ts'
import { type CacheReader, createInformer, formatKey, type Informer } from '../informer/informer.ts'
import type { Clock, Random } from '../kernel/async/clock.ts'
import { resourceName } from '../kernel/descriptors/kind.ts'
import type { StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import type { Watch } from './key-controller.ts'
import { ownerIndex } from './object-controller.ts'
import { controllerOf } from './owner-references.ts'
import type { Queue } from './queue.ts'

/** What all informers of a manager have in common. */
export interface SharedInformersOptions {
  readonly client: Client
  /** The namespace of watches that name none. Default: all of them. */
  readonly namespace?: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly keepAlive: boolean
  /** Hears of a kind that cannot be listed: it is not served, or not to this user. */
  readonly onRefused: (error: StatusError) => void
}

/** The informers of a manager: one for all watches of the same kind and scope. */
export class SharedInformers {
  readonly #options: SharedInformersOptions
  readonly #informers: { readonly watch: Watch; readonly informer: Informer<ApiObject> }[] = []

  constructor(options: SharedInformersOptions) {
    this.#options = options
  }

  /** Adds the keys that `watch` wakes to `queue` from now on; gives the cache of what it watches. */
  enqueue(watch: Watch, queue: Queue): CacheReader<ApiObject> {
    const informer = this.#informerOf(watch)
    const itemsOf = (object: Stored<ApiObject>) => watch.keys(object).map(formatKey)
    informer.on({
      added(object, initial) {
        const change = { type: initial ? 'listed' : 'added', object } as const
        for (const item of itemsOf(object)) queue.add(item, initial ? 'routine' : 'urgent', change)
      },
      updated(object, before) {
        const change = { type: 'updated', object, before } as const
        for (const item of new Set([...itemsOf(object), ...itemsOf(before)])) {
          queue.add(item, 'urgent', change)
        }
      },
      deleted(object) {
        for (const item of itemsOf(object)) queue.add(item, 'urgent', { type: 'deleted', object })
      },
    })
    return informer.cache
  }

  /** Runs every informer until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map(({ informer }) => informer.run(signal)))
  }

  /** Resolves when every cache has its first list. */
  async synced(): Promise<void> {
    await Promise.all(this.#informers.map(({ informer }) => informer.synced))
  }

  #informerOf(watch: Watch): Informer<ApiObject> {
    const known = this.#informers.find((one) => isSameScope(one.watch, watch))
    if (known !== undefined) return known.informer
    const { client, keepAlive, ...options } = this.#options
    const { kind, namespace = options.namespace, labelSelector, fieldSelector, transform } = watch
    const everywhere = client.resource<ApiObject>(kind)
    const resource = namespace === undefined ? everywhere : everywhere.in(namespace)
    const informer = createInformer(resource, {
      clock: options.clock,
      random: options.random,
      log: options.log,
      keepAlive,
      onRefused: options.onRefused,
      indexers: { [ownerIndex]: ownerUid },
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(transform !== undefined && { transform }),
    })
    this.#informers.push({ watch, informer })
    return informer
  }
}

function isSameScope(one: Watch, other: Watch): boolean {
  return (
    resourceName(one.kind) === resourceName(other.kind) &&
    one.kind.version === other.kind.version &&
    one.namespace === other.namespace &&
    one.labelSelector === other.labelSelector &&
    one.fieldSelector === other.fieldSelector &&
    one.transform === other.transform
  )
}

function ownerUid(object: ApiObject): readonly string[] {
  const owner = controllerOf(object)
  return owner === undefined ? [] : [owner.uid]
}
