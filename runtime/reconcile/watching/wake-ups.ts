import type { Key } from '../../client/client.ts'
import type { ResourceEventHandler } from '../../informer/informer.ts'
import { formatKey } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { Change } from '../changes/cause.ts'
import { differsIn } from '../changes/field-paths.ts'
import type { Cluster, ClusterKey } from '../controller/cluster.ts'
import type { KeysOf, Lookup, Watch } from '../controller/key-controller.ts'
import { backoffMs } from '../queue/backoff.ts'
import type { Queue } from '../queue/queue.ts'
import type { QueuePriority } from '../queue/ready-keys.ts'

/** Where the keys go that a watch wakes, and what `keys` may look at. */
export interface WakeUpOptions {
  readonly queue: Pick<Queue, 'add'>
  readonly lookup: Lookup
  /** Where keys of another cluster go; undefined where the controller does not work there. */
  readonly queueIn: (cluster: Cluster) => Pick<Queue, 'add'> | undefined
  readonly clock: Clock
  readonly log: Log
}

/** What wakes the keys of a watch. */
export interface WakeUps extends ResourceEventHandler<ApiObject> {
  /** Wakes the keys of these objects that `accepts` says, as if they had just been listed. */
  listed(objects: Objects, accepts: Accepts): void
}

/** Says which keys are woken, of the cluster of the watch or of another one. */
export type Accepts = (item: string, cluster: Cluster) => boolean

/** What an informer tells to wake the keys of a watch. */
export function wakeUps(
  watch: Watch,
  { queue, queueIn, lookup, clock, log }: WakeUpOptions,
): WakeUps {
  const { keys, fields, where = always, when = always, priority: changed = 'urgent' } = watch
  const { cluster: own } = lookup
  const add = (all: readonly Keys[], priority: QueuePriority, change: Woken): void => {
    for (const { item, cluster } of itemsOf(all.flat(), own)) {
      if (change.accepts?.(item, cluster) === false) continue
      const target = cluster === own ? queue : queueIn(cluster)
      target?.add(item, priority, change)
    }
  }
  const told = (objects: Objects, priority: QueuePriority, change: Woken): void => {
    if (when(change)) wake(objects, priority, change)
  }
  const wake = (objects: Objects, priority: QueuePriority, change: Woken, failures = 0): void => {
    const found = objects.map((object) => keysOf(keys, object, lookup))
    if (found.every(isReady)) {
      if (found.some((some) => some.length > 0)) add(found, priority, change)
      return
    }
    Promise.all(found).then(
      (all) => add(all, priority, change),
      (error) => {
        const facts = { kind: watch.kind.kind, name: objects[0]?.metadata.name, failures }
        log.error('keys of a watch failed: they are asked for again', facts, error)
        const ms = backoffMs(failures + 1, { baseMs: 200, maxMs: 30_000 })
        clock.after(ms, () => wake(objects, priority, change, failures + 1))
      },
    )
  }
  return {
    listed(objects, accepts) {
      for (const object of objects) {
        if (where(object)) told([object], 'routine', { type: 'listed', object, accepts })
      }
    },
    added(object, initial) {
      const change = { type: initial ? 'listed' : 'added', object } as const
      if (where(object)) told([object], initial ? 'routine' : changed, change)
    },
    updated(object, before) {
      if (fields === undefined || differsIn(fields, before, object)) {
        told([object, before].filter(where), changed, { type: 'updated', object, before })
      }
    },
    deleted(object) {
      if (where(object)) told([object], changed, { type: 'deleted', object })
    },
  }
}

/** Where a watch does not say otherwise. */
const always = (): boolean => true

type Objects = readonly Stored<ApiObject>[]

/** A change, and which keys it may wake: all of them where it does not say. */
type Woken = Change & { readonly accepts?: Accepts }

type Keys = readonly (Key | ClusterKey)[]

interface Item {
  readonly item: string
  readonly cluster: Cluster
}

/** The keys as queues hold them, each once for each cluster. */
function itemsOf(keys: Keys, own: Cluster): Iterable<Item> {
  const items = keys.map((key) => itemOf(key, own))
  if (items.length < 2) return items
  return new Map(items.map((one) => [`${one.item} ${one.cluster.name}`, one])).values()
}

function itemOf(key: Key & Partial<ClusterKey>, own: Cluster): Item {
  return { item: formatKey(key), cluster: key.cluster ?? own }
}

function isReady(keys: ReturnType<KeysOf>): keys is Keys {
  return !(keys instanceof Promise)
}

/** What `keys` gives; a rejection where it throws. */
function keysOf(keys: KeysOf, object: Stored<ApiObject>, lookup: Lookup): ReturnType<KeysOf> {
  try {
    return keys(object, lookup)
  } catch (error) {
    return Promise.reject(error)
  }
}
