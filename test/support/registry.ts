import '../../tools/test/guard.ts'
import { scheme } from '../../generated/scheme.ts'
import { type Clock, systemClock } from '../../runtime/kernel/async/clock.ts'
import type { AnyKind } from '../../runtime/kernel/descriptors/kind.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import type { Json } from '../../runtime/kernel/values/json.ts'
import {
  bootstrap,
  createRegistry,
  type Registry,
  type RegistryOptions,
  type Target,
  type WatchEvent,
  type WriteOptions,
} from '../../runtime/registry/registry.ts'
import { withResourceVersion } from '../../runtime/serializer/serializer.ts'
import { openSqliteStore } from '../../runtime/store/store.ts'
import { createWatchCache, type WatchCache } from '../../runtime/watch/watch.ts'
import { hangSignal } from './deadline.ts'

/** A real registry over a real store in memory, with the first namespaces made. */
export interface OpenRegistry {
  readonly registry: Registry
  readonly store: WatchCache
  readonly close: () => Promise<void>
}

export async function openRegistry(
  options: Partial<Pick<RegistryOptions, 'random' | 'uid' | 'clock' | 'pools'>> & {
    readonly historyMs?: number
    /** Prefixes of keys that are not kept in memory. */
    readonly uncached?: readonly string[]
    /** Default: the kinds under their usual names. */
    readonly scheme?: Scheme
  } = {},
): Promise<OpenRegistry> {
  const { historyMs, uncached = [], ...rest } = options
  const clock: Clock = options.clock ?? systemClock
  const log = await openSqliteStore({ filename: ':memory:', clock })
  const store = await createWatchCache(log, {
    clock,
    stampResourceVersion: withResourceVersion,
    uncached,
    ...(historyMs !== undefined && { historyMs }),
  })
  const registry = createRegistry({ store, scheme, ...rest, clock })
  await bootstrap(registry)
  return { registry, store, close: () => store.close() }
}

/** The generated kind of a collection path such as `api/v1/pods`. */
export function kindAt(path: string): AnyKind {
  const kind = scheme.routes[path]
  if (kind === undefined) throw new Error(`no kind at ${path}`)
  return kind
}

export const namespaces = kindAt('api/v1/namespaces')
export const configMaps = kindAt('api/v1/configmaps')
export const pods = kindAt('api/v1/pods')
export const deployments = kindAt('apis/apps/v1/deployments')

/** Options of a write, as a client gives them that says nothing. */
export const quiet: WriteOptions = { dryRun: false, fieldValidation: 'Warn', manager: 'test' }
export const strict: WriteOptions = { ...quiet, fieldValidation: 'Strict' }
export const dry: WriteOptions = { ...quiet, dryRun: true }

export function body(value: unknown, duplicates: readonly string[] = []) {
  return { value: value as Json, duplicates }
}

export function inDefault(kind: AnyKind, name?: string, subresource?: string): Target {
  return { kind, namespace: 'default', ...(name && { name }), ...(subresource && { subresource }) }
}

/** A deployment that is valid as it stands. */
export function deployment(name: string, replicas = 1): Record<string, unknown> {
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
      },
    },
  }
}

/** Collects events until there are `count` of them, then ends the watch. */
export async function collect(
  events: (signal: AbortSignal) => AsyncIterable<readonly WatchEvent[]>,
  count: number,
): Promise<readonly WatchEvent[]> {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, hangSignal()])
  const got: WatchEvent[] = []
  for await (const batch of events(signal)) {
    got.push(...batch)
    if (got.length >= count) ended.abort()
  }
  if (got.length < count) throw new Error(`${got.length} of ${count} events before the deadline`)
  return got
}
