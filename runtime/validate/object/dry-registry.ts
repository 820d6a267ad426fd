import { unknownServicePools } from '../../apis/apis.ts'
import { systemClock } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { createRegistry, type Registry, type WriteOptions } from '../../registry/registry.ts'
import { withResourceVersion } from '../../serializer/serializer.ts'
import { MemoryStore } from '../../store/store.ts'
import { createWatchCache } from '../../watch/watch.ts'

/** How every write is sent. Unknown fields are told by the reader, all at once. */
export const dryOptions: WriteOptions = {
  dryRun: true,
  fieldValidation: 'Ignore',
  manager: 'orch-validate',
}

/** A registry and what ends it. */
export interface DryRegistry {
  readonly registry: Registry
  /** An object as it would be stored. @throws StatusError if it would not be. */
  readonly created: (kind: Kind, value: JsonObject) => Promise<ApiObject>
  readonly close: () => Promise<void>
}

/** Nothing is stored, so that no two objects are told apart by it. */
const uid = () => '00000000-0000-4000-8000-000000000000'

/** A registry over an empty store in memory, for dry runs alone: no plugin looks at what else there is. */
export async function openDryRegistry(scheme: Scheme): Promise<DryRegistry> {
  const clock = systemClock
  const log = new MemoryStore({ entries: new Map(), revision: 1 }, { clock })
  const store = await createWatchCache(log, { clock, stampResourceVersion: withResourceVersion })
  // A generated name that is refused is told: it is the same in every run.
  const random = () => 0
  const pools = unknownServicePools()
  const admission = { only: [] }
  const registry = createRegistry({ store, scheme, clock, random, uid, pools, admission })
  const close = async () => {
    registry.close()
    await store.close()
  }
  const created = async (kind: Kind, value: JsonObject) => {
    const { item } = await registry.create({ kind }, { value, duplicates: [] }, dryOptions)
    return item.object()
  }
  return { registry, created, close }
}
