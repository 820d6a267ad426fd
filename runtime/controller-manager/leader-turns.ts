import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Client } from '../client/client.ts'
import type { HealthCheck } from '../daemon/daemon.ts'
import { aborted } from '../kernel/async/abort-signal.ts'
import { type Clock, type Random, systemRandom } from '../kernel/async/clock.ts'
import { deadline } from '../kernel/async/deadline.ts'
import { deferred } from '../kernel/async/deferred.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { Log } from '../observe/observe.ts'
import type { LeaderElectionSettings, Manager } from '../reconcile/reconcile.ts'
import { createRecorder, type Recorder } from '../recorder/recorder.ts'

/** Who takes turns, and what with. */
export interface LeaderTurnsOptions {
  /** Tells of them in events. */
  readonly client: Client
  readonly platform: Pick<Platform, 'prefix'>
  readonly clock: Clock
  readonly log: Log
  readonly random?: Random
  /** Absent where the controllers that stay need no lease. */
  readonly leaderElection?: LeaderElectionSettings
}

/** Why a run ended: it was told to, or another process has a lease of it now. */
export type EndOfRun = 'stopped' | 'lease lost'

/** Milliseconds that events about leases may take to be written at the end. */
const flushMs = 2000

/**
 * When the controllers of a manager run: those that stay while it holds its lease, those that move while it holds the lease of these, too,
 * which it seeks once it leads. The loss of either ends both.
 */
export class LeaderTurns {
  readonly #options: LeaderTurnsOptions
  readonly #recorder: Recorder
  readonly #lost = new AbortController()
  readonly #leads = deferred()
  /** One process has one name, whatever leases it holds. */
  readonly #identity = `${hostname()}_${randomUUID()}`

  constructor(options: LeaderTurnsOptions) {
    const { platform, clock, log, random = systemRandom } = options
    this.#options = options
    const component = `${platform.prefix}-controller-manager`
    this.#recorder = createRecorder({ component, clock, log, random })
    if (options.leaderElection === undefined) this.#leads.resolve()
  }

  /** The lease of the controllers that stay. */
  first(settings: LeaderElectionSettings): LeaderElectionSettings {
    return this.#told(settings, () => this.#leads.resolve())
  }

  /** The lease of those that move. */
  next(settings: LeaderElectionSettings): LeaderElectionSettings {
    return this.#told(settings, () => {})
  }

  /** Fails once a lease was lost. */
  get check(): HealthCheck {
    return {
      name: 'leaderElection',
      check: () => {
        if (this.#lost.signal.aborted) throw new Error('the lease was lost')
      },
    }
  }

  async run([first, second]: readonly Manager[], signal: AbortSignal): Promise<EndOfRun> {
    const end = AbortSignal.any([signal, this.#lost.signal])
    await Promise.all([first?.run(end), second && this.#runSecond(second, end)])
    if (this.#lost.signal.aborted) return 'lease lost'
    const limit = deadline(this.#options.clock, new AbortController().signal, 0, flushMs)
    await this.#recorder.flush(limit.signal)
    limit.end()
    return 'stopped'
  }

  async #runSecond(manager: Manager, end: AbortSignal): Promise<void> {
    await Promise.race([this.#leads.promise, aborted(end)])
    if (!end.aborted) await manager.run(end)
  }

  #told(settings: LeaderElectionSettings, led: () => void): LeaderElectionSettings {
    return {
      identity: this.#identity,
      ...settings,
      onLead: (lease) => {
        const message = `${lease.spec?.holderIdentity} became leader`
        const facts = { type: 'Normal', reason: 'LeaderElection', message } as const
        this.#recorder.record(this.#options.client, lease, facts)
        led()
      },
      onLost: () => this.#lost.abort(),
    }
  }
}
