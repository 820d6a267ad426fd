import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { allowListeners } from '../kernel/async/abort-signal.ts'
import { type Clock, pause, type Random, systemClock, systemRandom } from '../kernel/async/clock.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import { attempt } from './attempt.ts'
import type { ShardEntry } from './held-shard.ts'
import { HeldShards } from './held-shards.ts'
import {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
} from './leader-election.ts'
import { type LeaseTiming, leaseTiming } from './lease-timing.ts'
import { shardOf } from './shard-hash.ts'
import { checkGroupName, leaseLabels, memberLeaseName } from './shard-leases.ts'
import { createShardMetrics } from './shard-metrics.ts'
import { ShardRequests } from './shard-requests.ts'
import { type ShardState, type ShardView, ShardViews } from './shard-view.ts'
import type { Term } from './term.ts'

/** Which processes share the work, and how it is divided. */
export interface ShardGroupOptions extends Omit<LeaderElectionOptions, 'labels'> {
  /** Into how many shards the work is divided: the same number in all members, 256 at most. Default 32. */
  readonly shards?: number
  /** What is hashed, for members to compare: those that divide the work otherwise do not work together. Default `key`. */
  readonly by?: string
  /** Milliseconds that work of a shard may go on after the shard belongs to another member. Default 10,000. */
  readonly drainMs?: number
}

/** What a member does. */
export interface ShardWork {
  /** Works until the signal aborts or the term is lost. The member leaves when it has ended. */
  run(signal: AbortSignal, term: Term): Promise<void>
  /** Hears of shards that the member has from now on: whatever is in them has to be looked at anew. */
  gained(isGained: (text: string) => boolean): void
}

/** One member of a group that shares work. */
export interface ShardGroup {
  readonly identity: string
  /** True if this member has the shard of a text. */
  holds(text: string): boolean
  /** Begins work over what a text names; undefined where it is another member's. */
  enter(text: string): ShardEntry | undefined
  /**
   * Is a member until `signal` aborts. After a lost term it becomes one again. Runs once at a time.
   *
   * @throws StatusError `Conflict` if the group divides its work otherwise.
   */
  run(signal: AbortSignal, work: ShardWork): Promise<void>
  report(): ShardReport
}

/** Who has which shard, as one member knows it. */
export interface ShardReport {
  /** The group. */
  readonly name: string
  /** This member. */
  readonly identity: string
  /** How many shards there are, and of what: `32 by key`. */
  readonly division: string
  /** The members, and how many shards each one has. */
  readonly members: Readonly<Record<string, number>>
  readonly shards: readonly ShardHolder[]
}

/** Who has one shard. */
export interface ShardHolder {
  readonly shard: number
  /** Absent if none has it. */
  readonly holder?: string
  /** The token of the term in which this member has it. */
  readonly token?: number
  /** This member gives it away, once its work has ended. */
  readonly closing?: true
}

/**
 * A member of a group that shares work. Nothing is sent before `run`.
 *
 * @throws RangeError for a name, a number of shards or times that cannot be.
 */
export function createShardGroup(options: ShardGroupOptions): ShardGroup {
  return new LeaseGroup(options)
}

class LeaseGroup implements ShardGroup {
  readonly identity: string
  readonly #timing: Required<LeaseTiming>
  readonly #name: string
  readonly #title: string
  readonly #shards: number
  readonly #division: string
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Log
  readonly #election: LeaderElection
  readonly #requests: ShardRequests
  readonly #views: ShardViews
  readonly #held: HeldShards
  #view: ShardView | undefined

  constructor(options: ShardGroupOptions) {
    const { client, name, namespace = client.namespace, shards = 32, by = 'key' } = options
    const { metrics, drainMs = 10_000, ...election } = options
    this.identity = options.identity ?? `${hostname().toLowerCase()}-${randomUUID().slice(0, 8)}`
    this.#timing = leaseTiming(options)
    this.#name = checkGroupName(name)
    this.#title = `${namespace}/${name}`
    this.#shards = checkShards(shards)
    this.#division = `${shards} by ${by}`
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.#log = options.log ?? silentLog
    const identity = this.identity
    const lease = { name: memberLeaseName(name, identity), labels: leaseLabels(name, 'member') }
    this.#election = createLeaderElection({ ...election, identity, ...lease })
    const { leaseMs } = this.#timing
    const division = this.#division
    this.#requests = new ShardRequests({
      ...{ client, namespace, group: name, identity, division, leaseMs },
    })
    this.#views = new ShardViews({ clock: this.#clock, leaseMs, group: name, shards, identity })
    this.#held = new HeldShards({
      ...{ namespace, group: name, clock: this.#clock, drainMs },
      metrics: metrics && createShardMetrics(metrics, name),
    })
  }

  holds(text: string): boolean {
    return this.#held.get(shardOf(text, this.#shards))?.isClosing === false
  }

  enter(text: string): ShardEntry | undefined {
    return this.#held.get(shardOf(text, this.#shards))?.enter()
  }

  async run(signal: AbortSignal, work: ShardWork): Promise<void> {
    await this.#election.run(signal, (term) => this.#belong(term, signal, work))
    await this.#attempt('leave by', new AbortController().signal, (limit) =>
      this.#requests.leave(limit),
    )
  }

  report(): ShardReport {
    const shards = this.#view?.shards.map((state) => this.#holderOf(state)) ?? []
    const members = (this.#view?.members ?? []).map(
      (member) => [member, shards.filter(({ holder }) => holder === member).length] as const,
    )
    const { identity } = this
    const [name, division] = [this.#name, this.#division]
    return { name, identity, division, members: Object.fromEntries(members), shards }
  }

  #holderOf({ shard, holder: seen }: ShardState): ShardHolder {
    const held = this.#held.get(shard)
    const holder = held === undefined ? seen : this.identity
    return {
      shard,
      ...(holder !== undefined && { holder }),
      ...(held && { token: held.term.token }),
      ...(held?.isClosing && { closing: true }),
    }
  }

  /** Is a member for one term. */
  async #belong(term: Term, signal: AbortSignal, work: ShardWork): Promise<void> {
    const over = AbortSignal.any([signal, term.lost])
    allowListeners(over)
    await this.#agree(over)
    const looking = this.#lookUntil(over, term, work)
    try {
      await work.run(signal, term)
    } finally {
      await looking
      this.#held.endAll(term.lost.aborted ? 'lost' : 'given')
    }
  }

  /**
   * Waits until the group has said how it divides its work; the first member says so.
   *
   * @throws StatusError `Conflict` if it does so otherwise than this member.
   */
  async #agree(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const division = await this.#attempt('look at', signal, (limit) => this.#look(limit))
      if (division === this.#division) return
      if (division !== undefined) throw this.#disagreement(division)
      await pause(this.#clock, this.#timing.retryMs, signal)
    }
  }

  /** Looks at the leases, and gives how the group divides its work. */
  async #look(signal: AbortSignal): Promise<string | undefined> {
    this.#view = this.#views.look(await this.#requests.list(signal))
    if (this.#view.division !== undefined) return this.#view.division
    await this.#requests.found(signal)
    this.#view = this.#views.look(await this.#requests.list(signal))
    return this.#view.division
  }

  async #lookUntil(over: AbortSignal, term: Term, work: ShardWork): Promise<void> {
    while (!over.aborted) {
      await this.#attempt('share', over, async (limit) => {
        const division = await this.#look(limit)
        const agreed = division === this.#division
        if (division !== undefined && !agreed) this.#log.error(String(this.#disagreement(division)))
        await this.#share(this.#view as ShardView, agreed, term, work, limit)
      })
      const ms = this.#timing.retryMs * (1 + this.#random() * 0.2)
      if (!over.aborted) await pause(this.#clock, ms, over)
    }
    await this.#held.allGiven()
  }

  /** Brings what this member has to what belongs to it. */
  async #share(
    { expired, shards }: ShardView,
    agreed: boolean,
    term: Term,
    work: ShardWork,
    signal: AbortSignal,
  ): Promise<void> {
    await Promise.all(expired.map((member) => this.#expel(member, signal)))
    const wanted = (state: ShardState): boolean => agreed && state.owner === this.identity
    for (const state of shards) {
      this.#held.compare(state, this.identity)
      if (!wanted(state)) this.#giveAway(state)
    }
    const missing = shards.filter((state) => wanted(state) && this.#mayTake(state))
    const taken = await Promise.all(missing.map((state) => this.#take(state, term, signal)))
    const gained = new Set(taken.filter((shard) => shard !== undefined))
    if (gained.size > 0) work.gained((text) => gained.has(shardOf(text, this.#shards)))
  }

  #mayTake({ shard, holder }: ShardState): boolean {
    return !this.#held.has(shard) && (holder === undefined || holder === this.identity)
  }

  async #take(
    { shard, lease }: ShardState,
    term: Term,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const taken = await this.#requests.take(shard, lease, this.#clock.now(), signal)
    if (taken === undefined || term.lost.aborted) return undefined
    this.#held.add(shard, taken, term)
    this.#log.debug('shard taken', { group: this.#title, shard })
    return shard
  }

  /** Gives back what is another member's, once its work has ended. */
  #giveAway({ shard, lease, holder }: ShardState): void {
    const release = (of: typeof lease): Promise<void> =>
      this.#attempt('release', new AbortController().signal, async (limit) => {
        if (of !== undefined) await this.#requests.release(of, this.#clock.now(), limit)
      }) as Promise<void>
    if (this.#held.has(shard)) this.#held.give(shard, release)
    else if (holder === this.identity) void release(lease)
  }

  async #expel(member: ShardView['expired'][number], signal: AbortSignal): Promise<void> {
    const { name } = member.metadata
    if (member.spec?.holderIdentity) {
      this.#log.warn('member has gone without a word', { group: this.#title, lease: name })
    }
    await this.#requests.expel(member, signal)
  }

  #disagreement(division: string): StatusError {
    return new StatusError(
      'Conflict',
      `group ${this.#title} divides its work into ${division}, this member into ${this.#division}: give all members the same settings, or stop all of them and delete the Lease "${this.#name}"`,
    )
  }

  /** What `request` gives; undefined if it fails, which is logged, or takes longer than a term may go without a renewal. */
  #attempt<T>(
    verb: string,
    signal: AbortSignal,
    request: (limit: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    return attempt(`cannot ${verb} the group`, signal, request, {
      clock: this.#clock,
      log: this.#log,
      limitMs: this.#timing.renewDeadlineMs,
      fields: { group: this.#title },
    })
  }
}

/** Most shards of a group: each one is a lease that all members read at every look. */
const mostShards = 256

function checkShards(shards: number): number {
  if (Number.isInteger(shards) && shards > 0 && shards <= mostShards) return shards
  throw new RangeError(`sharding: shards ${shards} must be a whole number from 1 to ${mostShards}`)
}
