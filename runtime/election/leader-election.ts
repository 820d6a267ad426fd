import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Lease, type LeaseSpec, leases } from '../../generated/apis/coordination/v1.ts'
import type { Client, Resource } from '../client/client.ts'
import { allowListeners } from '../kernel/async/abort-signal.ts'
import {
  type Clock,
  microTimestamp,
  pause,
  type Random,
  systemClock,
  systemRandom,
} from '../kernel/async/clock.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { type Gauge, type Log, type Metrics, silentLog } from '../observe/observe.ts'
import { attempt } from './attempt.ts'
import { isFree, type ObservedLease, observe, releasedSpec, takenSpec } from './lease-record.ts'
import { type LeaseTiming, leaseTiming, nextLookMs } from './lease-timing.ts'
import { HeldTerm, momentOf, type Term } from './term.ts'

/** Which lease is sought, and by whom. */
export interface LeaderElectionOptions extends LeaseTiming {
  readonly client: Client
  /** The name of the Lease: all processes that must not work at once name the same one. */
  readonly name: string
  /** Its namespace. Default: that of the client. */
  readonly namespace?: string
  /** Who seeks it, for people who look at the lease. Default: the host's name and a random part. */
  readonly identity?: string
  /** Labels of the Lease, where this candidate makes it. Default: none. */
  readonly labels?: Readonly<Record<string, string>>
  readonly clock?: Clock
  readonly random?: Random
  /** Hears of each term that begins, with the lease as it is then. */
  readonly onLead?: (lease: Stored<Lease>) => void
  /** Hears of each term that was lost, before another one is sought. */
  readonly onLost?: () => void
  /** Default: nothing is logged. */
  readonly log?: Log
  /** Where `leader_election_master_status` is counted. Default: nowhere. */
  readonly metrics?: Metrics
}

/** One candidate for a lease. */
export interface LeaderElection {
  readonly identity: string
  /** The term that this candidate has; undefined while it has none. */
  readonly term: Term | undefined
  /** The identity of the holder as this candidate last saw it; undefined if there was none. */
  readonly leader: string | undefined
  /**
   * Seeks the lease until `signal` aborts. While it is held `lead` runs, and the lease is renewed until `lead` has ended, so that it has
   * to end soon after `signal` or `term.lost` abort. After a lost term it seeks another one. Runs once at a time.
   */
  run(signal: AbortSignal, lead: (term: Term) => Promise<void>): Promise<void>
}

/**
 * A candidate for a lease. Nothing is sent before `run`.
 *
 * @throws RangeError for times that would let two candidates lead at once.
 */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return new LeaseElection(options)
}

class LeaseElection implements LeaderElection {
  readonly identity: string
  readonly #timing: Required<LeaseTiming>
  readonly #leases: Resource<Lease>
  readonly #name: string
  readonly #labels: LeaderElectionOptions['labels']
  /** `namespace/name`, for logs and errors. */
  readonly #title: string
  readonly #clock: Clock
  readonly #random: Random
  readonly #onLead: (lease: Stored<Lease>) => void
  readonly #onLost: () => void
  readonly #log: Log
  readonly #status: Gauge | undefined
  #observed: ObservedLease | undefined
  #term: HeldTerm | undefined

  constructor(options: LeaderElectionOptions) {
    const { client, name, namespace = client.namespace } = options
    this.identity = options.identity ?? `${hostname()}_${randomUUID()}`
    this.#timing = leaseTiming(options)
    this.#leases = client.resource(leases).in(namespace)
    this.#name = name
    this.#labels = options.labels
    this.#title = `${namespace}/${name}`
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.#onLead = options.onLead ?? (() => {})
    this.#onLost = options.onLost ?? (() => {})
    this.#log = options.log ?? silentLog
    this.#status = options.metrics?.gauge('leader_election_master_status')
    this.#status?.set([name], 0)
  }

  get term(): Term | undefined {
    return this.#term
  }

  get leader(): string | undefined {
    return this.#observed?.lease.spec?.holderIdentity || undefined
  }

  async run(signal: AbortSignal, lead: (term: Term) => Promise<void>): Promise<void> {
    allowListeners(signal)
    while (!signal.aborted) {
      const term = await this.#acquire(signal)
      if (term === undefined) return
      await this.#serve(term, lead)
      if (!term.lost.aborted) return
    }
  }

  /** Leads one term to its end. */
  async #serve(term: HeldTerm, lead: (term: Term) => Promise<void>): Promise<void> {
    this.#term = term
    this.#status?.set([this.#name], 1)
    this.#log.info('lease acquired', this.#facts(term))
    const stop = new AbortController()
    term.lost.addEventListener('abort', () => stop.abort(), { once: true })
    const renewing = this.#renewUntil(term, stop.signal)
    try {
      await lead(term)
    } finally {
      stop.abort()
      await renewing
      this.#term = undefined
      this.#status?.set([this.#name], 0)
      if (term.lost.aborted) {
        this.#log.error('lease lost', this.#facts(term), term.lost.reason)
        this.#onLost()
      } else await this.#release(term)
    }
  }

  /** Looks at the lease until it can be taken; undefined if `signal` aborts first. */
  async #acquire(signal: AbortSignal): Promise<HeldTerm | undefined> {
    for (;;) {
      const sent = momentOf(this.#clock)
      const taken = await this.#attempt('look at', signal, (limit) => this.#tryTake(limit))
      if (taken !== undefined) return this.#begin(taken, sent)
      if (!signal.aborted) await pause(this.#clock, nextLookMs(this.#timing, this.#random), signal)
      if (signal.aborted) return undefined
    }
  }

  #begin(taken: Stored<Lease>, sent: ReturnType<typeof momentOf>): HeldTerm {
    this.#see(taken)
    const token = taken.spec?.leaseTransitions ?? 0
    const facts = { lease: this.#title, token, holdMs: this.#timing.renewDeadlineMs }
    const term = new HeldTerm(this.#clock, facts, sent)
    this.#onLead(taken)
    return term
  }

  /** The lease as this candidate's; undefined if it is another's. */
  async #tryTake(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    const { leaseMs } = this.#timing
    const found = await this.#leases.find(this.#name, signal)
    const now = this.#clock.now()
    if (found === undefined) {
      const spec = takenSpec(this.identity, leaseMs, now)
      const metadata = { name: this.#name, ...(this.#labels && { labels: this.#labels }) }
      return this.#leases.create({ metadata, spec }, {}, signal)
    }
    const observed = this.#see(found)
    if (!isFree(observed, leaseMs, this.#clock) && !this.#isOwn(found)) return undefined
    const spec = takenSpec(this.identity, leaseMs, now, found.spec ?? {})
    return this.#leases.update({ ...found, spec }, {}, signal)
  }

  /** A lease of this very candidate, from before its last term was lost, or before its process started anew. */
  #isOwn({ spec }: Stored<Lease>): boolean {
    return spec?.holderIdentity === this.identity
  }

  #see(lease: Stored<Lease>): ObservedLease {
    const before = this.leader
    this.#observed = observe(lease, this.#observed, this.#clock)
    if (this.leader !== before) {
      this.#log.info('lease is held', { lease: this.#title, holder: this.leader ?? '' })
    }
    return this.#observed
  }

  async #renewUntil(term: HeldTerm, stop: AbortSignal): Promise<void> {
    for (;;) {
      await pause(this.#clock, this.#timing.retryMs, stop)
      if (stop.aborted) return
      const sent = momentOf(this.#clock)
      const renewed = await this.#attempt('renew', term.lost, (limit) => this.#renew(term, limit))
      if (renewed === 'lost') term.lose('taken by another')
      else if (renewed === 'renewed') term.renew(sent)
    }
  }

  /** Renews the lease by what is known of it; where another wrote it, looks whether it still is this term's. */
  async #renew(term: HeldTerm, signal: AbortSignal): Promise<'renewed' | 'lost'> {
    const known = this.#observed?.lease
    if (known === undefined) return 'lost'
    const spec = { ...known.spec, renewTime: microTimestamp(this.#clock.now()) }
    try {
      this.#see(await this.#leases.update({ ...known, spec }, {}, signal))
      return 'renewed'
    } catch (error) {
      if (isStatus(error, 'NotFound')) return 'lost'
      if (!isStatus(error, 'Conflict')) throw error
      const found = await this.#leases.find(this.#name, signal)
      if (found === undefined || !this.#isOf(term, this.#see(found).lease)) return 'lost'
      return this.#renew(term, signal)
    }
  }

  #isOf(term: HeldTerm, { spec }: Stored<Lease>): boolean {
    const { holderIdentity, leaseTransitions = 0 } = spec ?? ({} as LeaseSpec)
    return holderIdentity === this.identity && leaseTransitions === term.token
  }

  /** Gives the lease back, if it still is this term's. */
  async #release(term: HeldTerm): Promise<void> {
    term.end()
    const known = this.#observed?.lease
    if (known === undefined) return
    const spec = releasedSpec(known.spec ?? {}, this.#clock.now())
    const never = new AbortController().signal
    await this.#attempt('release', never, (limit) =>
      this.#leases.update({ ...known, spec }, {}, limit),
    )
    this.#log.info('lease released', this.#facts(term))
  }

  /** What `request` gives; undefined if it fails, which is logged, or takes longer than a term may go without a renewal. */
  #attempt<T>(
    verb: string,
    signal: AbortSignal,
    request: (limit: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    return attempt(`cannot ${verb} the lease`, signal, request, {
      clock: this.#clock,
      log: this.#log,
      limitMs: this.#timing.renewDeadlineMs,
      fields: { lease: this.#title },
    })
  }

  #facts(term: Term): { lease: string; identity: string; token: number } {
    return { lease: this.#title, identity: this.identity, token: term.token }
  }
}
