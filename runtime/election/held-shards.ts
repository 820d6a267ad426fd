import type { Lease } from '../../generated/apis/coordination/v1.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { HeldShard } from './held-shard.ts'
import type { ShardMetrics } from './shard-metrics.ts'
import type { ShardState } from './shard-view.ts'
import type { Term } from './term.ts'

/** What the shards of a member have in common. */
export interface HeldShardsOptions {
  readonly namespace: string
  readonly group: string
  readonly clock: Clock
  readonly drainMs: number
  readonly metrics: ShardMetrics | undefined
}

/** The shards that one member has. */
export class HeldShards {
  readonly #options: HeldShardsOptions
  readonly #held = new Map<number, { readonly shard: HeldShard; readonly lease: Stored<Lease> }>()
  readonly #giving = new Set<Promise<void>>()

  constructor(options: HeldShardsOptions) {
    this.#options = options
  }

  has(shard: number): boolean {
    return this.#held.has(shard)
  }

  get(shard: number): HeldShard | undefined {
    return this.#held.get(shard)?.shard
  }

  /** The member has a shard in its term, by a lease that it just wrote. */
  add(shard: number, lease: Stored<Lease>, member: Term): void {
    const { namespace, metrics } = this.#options
    const title = `${namespace}/${lease.metadata.name}`
    const held = new HeldShard(title, lease.spec?.leaseTransitions ?? 0, member)
    this.#held.set(shard, { shard: held, lease })
    metrics?.moved('taken')
    this.#count()
  }

  /** Compares a shard with what the server says: one whose lease is not this member's any more is lost. */
  compare({ shard, lease }: ShardState, identity: string): void {
    const held = this.#held.get(shard)
    if (held === undefined) return
    const { holderIdentity, leaseTransitions = 0 } = lease?.spec ?? {}
    if (holderIdentity === identity && leaseTransitions === held.shard.term.token) return
    held.shard.lose()
    this.#drop(shard, 'lost')
  }

  /** Ends the work of a shard, then lets `release` write that it is free. */
  give(shard: number, release: (lease: Stored<Lease>) => Promise<void>): void {
    const held = this.#held.get(shard)
    if (held === undefined || held.shard.isClosing) return
    const { clock, drainMs } = this.#options
    const given = held.shard.close(clock, drainMs).then(async () => {
      if (this.#held.get(shard) !== held) return
      this.#drop(shard, 'given')
      await release(held.lease)
    })
    this.#giving.add(given)
    void given.finally(() => this.#giving.delete(given))
  }

  /** Resolves when what was being given away is. */
  async allGiven(): Promise<void> {
    await Promise.all(this.#giving)
  }

  /** The term of the member is over, or was lost. */
  endAll(move: 'given' | 'lost'): void {
    for (const [shard, held] of [...this.#held]) {
      held.shard.end()
      this.#drop(shard, move)
    }
  }

  #drop(shard: number, move: 'given' | 'lost'): void {
    this.#held.delete(shard)
    this.#options.metrics?.moved(move)
    this.#count()
  }

  #count(): void {
    this.#options.metrics?.holds(this.#held.size)
  }
}
