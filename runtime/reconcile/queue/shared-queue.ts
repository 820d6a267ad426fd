import type { Queue } from './queue.ts'

/** So many keys of deleted objects are remembered for the time when they become this process's. */
const remembered = 10_000

/** A queue that several processes share by key: each takes its own. */
export interface SharedQueue extends Queue {
  /**
   * The keys of objects that were deleted while another process had them, the last ones. That process may not have come to them, and no
   * cache knows them any more.
   */
  readonly deletedElsewhere: Iterable<string>
}

/** The same queue for the keys that this process has: another process's are dropped, since that one hears of them, too. */
export function sharedQueue(queue: Queue, holds: (key: string) => boolean): SharedQueue {
  const deleted = new Set<string>()
  return {
    add(key, priority, change) {
      if (holds(key)) {
        deleted.delete(key)
        queue.add(key, priority, change)
        return
      }
      deleted.delete(key)
      if (change?.type !== 'deleted') return
      deleted.add(key)
      const [oldest] = deleted
      if (deleted.size > remembered && oldest !== undefined) deleted.delete(oldest)
    },
    addAfter: (...given) => queue.addAfter(...given),
    retry: (key) => queue.retry(key),
    forget: (key) => queue.forget(key),
    take: (signal) => queue.take(signal),
    finish: (key) => queue.finish(key),
    close: () => queue.close(),
    deletedElsewhere: deleted,
    get depth() {
      return queue.depth
    },
    get delayed() {
      return queue.delayed
    },
    get oldestMs() {
      return queue.oldestMs
    },
  }
}
