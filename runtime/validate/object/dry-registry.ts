import { systemClock } from '../../kernel/async/clock.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { createRegistry, type Registry } from '../../registry/registry.ts'
import { withResourceVersion } from '../../serializer/serializer.ts'
import { MemoryStore } from '../../store/store.ts'
import { createWatchCache } from '../../watch/watch.ts'

/** A registry and what ends it. */
export interface DryRegistry {
  readonly registry: Registry
  readonly close: () => Promise<void>
}

/** A registry over an empty store in memory, for dry runs alone: no plugin looks at what else there is. */
export async function openDryRegistry(scheme: Scheme): Promise<DryRegistry> {
  const clock = systemClock
  const log = new MemoryStore({ entries: new Map(), revision: 1 }, { clock })
  const store = await createWatchCache(log, { clock, stampResourceVersion: withResourceVersion })
  const registry = createRegistry({ store, scheme, clock, admission: { only: [] } })
  const close = async () => {
    registry.close()
    await store.close()
  }
  return { registry, close }
}
