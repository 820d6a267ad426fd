import type { Client } from '../client/client.ts'
import type { CacheReader } from '../informer/informer.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { type AnyKind, type Kind, resourceName } from '../kernel/descriptors/kind.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import type { Context } from './controller.ts'
import { ensureOwned } from './ensure.ts'
import { equal } from './equal.ts'

/** The caches of the kinds that one controller declared, by resource name. */
export type Caches = ReadonlyMap<string, CacheReader<ApiObject>>

/** What every run of one controller has in common, and the signal and client of this run. */
export interface RunEnvironment {
  readonly controller: string
  readonly caches: Caches
  readonly clock: Clock
  readonly log: Log
  readonly client: Client
  readonly signal: AbortSignal
}

/** What one run over one object works with. */
export function createContext<T extends ApiObject>(
  kind: Kind<T>,
  object: Stored<T>,
  { controller, caches, clock, log, client, signal }: RunEnvironment,
): Context<T> {
  let latest = object
  return {
    client,
    clock,
    log,
    signal,
    cached,
    owned: (owned) => cached(owned).index('owner', object.metadata.uid),
    ensure: (owned, draft) => ensureOwned(client, cached(owned), object, owned, draft),
    async setStatus(status) {
      const { status: last } = latest as { readonly status?: unknown }
      if (equal(last, status)) return
      latest = await client.resource(kind).updateStatus({ ...latest, status })
    },
  }

  function cached<K extends ApiObject>(wanted: Kind<K>): CacheReader<K> {
    const cache = caches.get(resourceName(wanted as AnyKind))
    invariant(cache, `${controller} reads ${wanted.kind} without declaring that it does`)
    return cache as unknown as CacheReader<K>
  }
}
