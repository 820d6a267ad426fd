import type { Client } from '../client/client.ts'
import {
  type CacheReader,
  createInformer,
  formatKey,
  type Informer,
  objectKey,
  type ResourceEventHandler,
} from '../informer/informer.ts'
import {
  type Clock,
  keepAlive,
  type Random,
  systemClock,
  systemRandom,
} from '../kernel/async/clock.ts'
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { type Log, type Metrics, silentLog } from '../observe/observe.ts'
import type { AnyController, Watch } from './controller.ts'
import type { ControllerStats } from './controller-stats.ts'
import { controllerOf, ownerKey } from './owner-references.ts'
import { createQueue, type Queue, type QueueOptions } from './queue.ts'
import { createRunner, type Runner } from './runner.ts'

export interface ManagerOptions {
  readonly client: Client
  readonly controllers: readonly AnyController[]
  /** Look at one namespace only. Default: all of them. */
  readonly namespace?: string
  readonly log?: Log
  readonly clock?: Clock
  readonly random?: Random
  readonly queue?: Omit<QueueOptions, 'clock' | 'metrics' | 'name'>
  /** Where queues are counted, and which controllers run. Default: nowhere. */
  readonly metrics?: Metrics
  /** The program that runs the controllers, as metrics name it. Default `controller-manager`. */
  readonly name?: string
  /** How long runs under way may go on after the end was asked for. Default 10 s. */
  readonly drainMs?: number
}

/** Runs controllers that share one client and one cache of each kind. */
export interface Manager {
  /** Resolves when every cache has its first list and the controllers work. */
  readonly ready: Promise<void>
  /** Runs until `signal` aborts and the runs under way are through. Runs once. */
  run(signal: AbortSignal): Promise<void>
  stats(): Readonly<Record<string, ControllerStats>>
}

/** A manager for the given controllers. Nothing is sent before `run`. */
export function createManager(options: ManagerOptions): Manager {
  const { client, controllers, clock = systemClock, random = systemRandom } = options
  const { log = silentLog, drainMs = 10_000 } = options
  const informers = new Map<string, Informer<ApiObject>>()
  const runners = new Map(controllers.map((it) => [it.name, runnerOf(it)] as const))
  invariant(runners.size === controllers.length, 'every controller has a name of its own')
  let begin = (): void => {}
  const ready = new Promise<void>((resolve) => {
    begin = resolve
  })

  return {
    ready,
    async run(signal) {
      const release = keepAlive()
      const following = new AbortController()
      const all = [...informers.values()]
      const followed = all.map((informer) => informer.run(following.signal))
      try {
        await Promise.race([synced(all), aborted(signal)])
        begin()
        await Promise.all([...runners].map((each) => running(...each, signal)))
      } finally {
        following.abort()
        await Promise.all(followed)
        release()
      }
    },
    stats: () =>
      Object.fromEntries([...runners].map(([name, runner]) => [name, runner.stats()] as const)),
  }

  async function running(name: string, runner: Runner, signal: AbortSignal): Promise<void> {
    const { metrics, name: program = 'controller-manager' } = options
    const told = metrics?.gauge('running_managed_controllers')
    told?.set([name, program], 1)
    try {
      await runner.run(signal)
    } finally {
      told?.set([name, program], 0)
    }
  }

  function runnerOf(controller: AnyController): Runner {
    const { metrics } = options
    const { name } = controller
    const queue = createQueue({ clock, ...options.queue, name, ...(metrics && { metrics }) })
    const caches = new Map<string, CacheReader<ApiObject>>()
    for (const { kind, keys } of watchesOf(controller)) {
      const informer = informerOf(kind)
      caches.set(resourceName(kind), informer.cache)
      informer.on(enqueueingHandler(queue, (object) => keys(object).map(formatKey)))
    }
    return createRunner({ controller, client, queue, clock, log, caches, drainMs })
  }

  function informerOf(kind: AnyKind): Informer<ApiObject> {
    const name = resourceName(kind)
    const known = informers.get(name)
    if (known !== undefined) return known
    const everywhere = client.resource<ApiObject>(kind)
    const { namespace } = options
    const resource = namespace === undefined ? everywhere : everywhere.in(namespace)
    const informer = createInformer(resource, { clock, random, log, indexers: { owner: ownerUid } })
    informers.set(name, informer)
    return informer
  }
}

/** Everything that wakes a controller: its own kind, what it owns, what it watches. */
function watchesOf({ for: kind, owns = [], watches = [] }: AnyController): readonly Watch[] {
  const own = { kind, keys: (object: Stored<ApiObject>) => [objectKey(object)] }
  const owned = owns.map((owned) => ({
    kind: owned,
    keys: (object: Stored<ApiObject>) =>
      [ownerKey(kind, object)].filter((key) => key !== undefined),
  }))
  return [own, ...owned, ...watches]
}

/** A change wakes what the object belongs to now, and what it belonged to before. */
function enqueueingHandler(
  queue: Queue,
  itemsOf: (object: Stored<ApiObject>) => readonly string[],
): ResourceEventHandler<ApiObject> {
  return {
    added(object, initial) {
      for (const item of itemsOf(object)) queue.add(item, initial ? 'routine' : 'urgent')
    },
    updated(object, before) {
      for (const item of new Set([...itemsOf(object), ...itemsOf(before)])) queue.add(item)
    },
    deleted(object) {
      for (const item of itemsOf(object)) queue.add(item)
    },
  }
}

function ownerUid(object: ApiObject): readonly string[] {
  const owner = controllerOf(object)
  return owner === undefined ? [] : [owner.uid]
}

async function synced(informers: readonly Informer<ApiObject>[]): Promise<void> {
  await Promise.all(informers.map((informer) => informer.synced))
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
