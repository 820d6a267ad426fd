import { Recent } from '../../../kernel/values/recent.ts'
import type { StoredDaemonSet } from './daemon-pod.ts'

const firstMs = 1000
const longestMs = 900_000

/** So many nodes are remembered on which pods failed. */
const remembered = 10_000

/** How long failed pods stay before they are replaced: twice as long each time on the same node. */
export class FailedPods {
  readonly #known = new Recent<{ waitMs: number; at: number }>(remembered)

  /** Milliseconds for which a failed pod of a node is to stay; 0 for one that may go now. */
  waitMs(set: StoredDaemonSet, node: string, now: number): number {
    const known = this.#known.find(keyOf(set, node))
    if (known === undefined || isLongAgo(known, now)) return 0
    return Math.max(0, known.at + known.waitMs - now)
  }

  /** A failed pod of the node goes. */
  replace(set: StoredDaemonSet, node: string, now: number): void {
    const key = keyOf(set, node)
    const known = this.#known.find(key)
    const again = known !== undefined && !isLongAgo(known, now)
    const waitMs = again ? Math.min(longestMs, 2 * known.waitMs) : firstMs
    this.#known.set(key, { waitMs, at: now })
  }
}

/** A new template begins anew. */
function keyOf({ metadata, status }: StoredDaemonSet, node: string): string {
  return `${metadata.uid}/${status?.observedGeneration ?? 0}/${node}`
}

function isLongAgo({ at }: { readonly at: number }, now: number): boolean {
  return now - at > 2 * longestMs
}
