import type { Metrics } from '../observe/observe.ts'

/** How a shard came or went: taken from none, given to another member, lost with the lease of this one. */
export type ShardMove = 'taken' | 'given' | 'lost'

/** What is counted of the shards of one member. */
export interface ShardMetrics {
  holds(shards: number): void
  moved(move: ShardMove, shards?: number): void
}

/** The metrics of a member of the group of that name. */
export function createShardMetrics(metrics: Metrics, group: string): ShardMetrics {
  const held = metrics.gauge('shards_held')
  const moves = metrics.counter('shard_moves_total')
  held.set([group], 0)
  return {
    holds: (shards) => held.set([group], shards),
    moved: (move, shards = 1) => moves.add([group, move], shards),
  }
}
