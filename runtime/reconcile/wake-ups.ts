import type { ResourceEventHandler } from '../informer/informer.ts'
import { formatKey } from '../informer/informer.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import { backoffMs } from './backoff.ts'
import { differsIn } from './field-paths.ts'
import type { KeysOf, Lookup, Watch } from './key-controller.ts'
import type { Queue } from './queue.ts'
import type { QueuePriority } from './ready-keys.ts'

/** Where the keys go that a watch wakes, and what `keys` may look at. */
export interface WakeUpOptions {
  readonly queue: Queue
  readonly lookup: Lookup
  readonly clock: Clock
  readonly log: Log
}

/** What an informer tells to wake the keys of a watch. */
export function wakeUps(
  watch: Watch,
  { queue, lookup, clock, log }: WakeUpOptions,
): ResourceEventHandler<ApiObject> {
  const { keys, fields, where = () => true, priority: changed = 'urgent' } = watch
  const wake = (object: Stored<ApiObject>, priority: QueuePriority, failures = 0): void => {
    const found = keysOf(keys, object, lookup)
    if (!(found instanceof Promise)) {
      for (const key of found) queue.add(formatKey(key), priority)
      return
    }
    found.then(
      (all) => {
        for (const key of all) queue.add(formatKey(key), priority)
      },
      (error) => {
        const { kind, metadata } = object
        log.error('keys of a watch failed: they are asked for again', { kind, ...nameOf(metadata) }, error)
        const ms = backoffMs(failures + 1, { baseMs: 200, maxMs: 30_000 })
        clock.after(ms, () => wake(object, priority, failures + 1))
      },
    )
  }
  return {
    added(object, initial) {
      if (where(object)) wake(object, initial ? 'routine' : changed)
    },
    updated(object, before) {
      if (fields !== undefined && !differsIn(fields, before, object)) return
      const [is, was] = [where(object), where(before)]
      if (is) wake(object, changed)
      if (was) wake(before, changed)
    },
    deleted(object) {
      if (where(object)) wake(object, changed)
    },
  }
}

function nameOf({ name, namespace }: Stored<ApiObject>['metadata'] & { namespace?: string }) {
  return namespace === undefined ? { name } : { name, namespace }
}

/** What `keys` gives; a rejection where it throws. */
function keysOf(keys: KeysOf, object: Stored<ApiObject>, lookup: Lookup): ReturnType<KeysOf> {
  try {
    return keys(object, lookup)
  } catch (error) {
    return Promise.reject(error)
  }
}
