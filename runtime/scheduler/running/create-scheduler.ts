import { createLeaderElection, type Term } from '../../election/election.ts'
import { aborted, allowListeners } from '../../kernel/async/abort-signal.ts'
import { systemRandom } from '../../kernel/async/clock.ts'
import { deadline } from '../../kernel/async/deadline.ts'
import { createRecorder, type Recorder } from '../../recorder/recorder.ts'
import { spreadConstraints } from '../decision/default-spread.ts'
import { platformKeys } from '../facts/platform-keys.ts'
import { SchedulingQueue } from '../queue/scheduling-queue.ts'
import { ClusterState } from './cluster-state.ts'
import { type Followed, followKinds } from './followed-kinds.ts'
import { SchedulerMetrics } from './scheduler-metrics.ts'
import type { SchedulerOptions } from './scheduler-options.ts'
import { SchedulingLoop } from './scheduling-loop.ts'
import { type UsualSettings, usualSettings } from './usual-settings.ts'

/** What finds nodes for pods. */
export interface Scheduler {
  /** Resolves when it knows the cluster. */
  readonly ready: Promise<void>
  readonly isLeader: boolean
  /** Works until `signal` aborts and what is under way is through, or the lease is lost. Runs once. */
  run(signal: AbortSignal): Promise<'stopped' | 'lease lost'>
}

/** Milliseconds that events may take to be written at the end. */
const flushMs = 2000
const mostPendingEvents = 50_000

/** A scheduler. The server is asked which kinds it serves; nothing is written before `run`. */
export async function createScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { client, clock, log, keepAlive = true } = options
  const settings = { ...(await usualSettings()), ...options }
  return new RunningScheduler(settings, await followKinds({ client, clock, log, keepAlive }))
}

type Settings = SchedulerOptions & UsualSettings

class RunningScheduler implements Scheduler {
  readonly ready: Promise<void>
  readonly #options: Settings
  readonly #followed: Followed
  readonly #queue: SchedulingQueue
  readonly #state: ClusterState
  readonly #metrics: SchedulerMetrics
  readonly #recorders = new Map<string, Recorder>()
  readonly #lost = new AbortController()
  #loop: SchedulingLoop | undefined

  constructor(options: Settings, followed: Followed) {
    const { clock, names, metrics, backoffMs, mostBackoffMs, flushMs } = options
    this.#options = options
    this.#followed = followed
    this.#metrics = new SchedulerMetrics(metrics)
    this.#queue = new SchedulingQueue(
      { clock, backoffMs, mostBackoffMs, flushMs },
      () => this.#loop?.wake(),
      (queue, event) => this.#metrics.incoming(queue, event),
    )
    this.#state = new ClusterState(followed, this.#queue, options, new Set(names))
    this.#metrics.show(
      () => this.#queue.sizes,
      () => this.#state.cluster.sizes,
    )
    this.ready = Promise.all(followed.running.map(({ synced }) => synced)).then(() => {})
  }

  get isLeader(): boolean {
    return this.#loop !== undefined
  }

  async run(signal: AbortSignal): Promise<'stopped' | 'lease lost'> {
    const { client, clock, log, random, metrics, leaderElection } = this.#options
    const end = AbortSignal.any([signal, this.#lost.signal])
    allowListeners(end)
    const following = this.#followed.running.map((one) => one.run(end))
    await Promise.race([this.ready, aborted(end)])
    if (leaderElection === undefined) await this.#work(end)
    else {
      const election = createLeaderElection({
        ...{ client, clock, log, ...(random && { random }), ...(metrics && { metrics }) },
        ...leaderElection,
        onLead: (lease) => {
          const message = `${lease.spec?.holderIdentity} became leader`
          const facts = { type: 'Normal', reason: 'LeaderElection', message } as const
          this.#recorderOf(this.#options.names[0] ?? '').record(client, lease, facts)
        },
        onLost: () => this.#lost.abort(),
      })
      await election.run(end, (term) => this.#work(AbortSignal.any([end, term.lost]), term))
    }
    await Promise.all(following)
    this.#queue.close()
    await this.#flushEvents()
    return this.#lost.signal.aborted ? 'lease lost' : 'stopped'
  }

  async #work(signal: AbortSignal, term?: Term): Promise<void> {
    if (signal.aborted) return
    allowListeners(signal)
    const { client, clock, log, random = systemRandom, percentageOfNodes } = this.#options
    const { defaultSpread, spread, platform } = this.#options
    const loop = new SchedulingLoop({
      ...{ queue: this.#queue, state: this.#state, clock, log, metrics: this.#metrics },
      client: term === undefined ? client : client.scoped({ beforeWrite: () => term.assertHeld() }),
      decisions: {
        ...{ random, percentageOfNodes, cursor: 0 },
        compared: ({ pod: { metadata } }, nodes, scores) => {
          if (!log.debugging) return
          const said = nodes.map(({ name }, at) => `${name}=${scores[at]}`).join(' ')
          const pod = `${metadata.namespace}/${metadata.name}`
          log.debug('nodes are compared', { pod, scores: said })
        },
        defaults:
          defaultSpread === undefined
            ? { constraints: spreadConstraints(spread, platformKeys(platform)), isUsual: true }
            : { constraints: defaultSpread, isUsual: false },
      },
      recorderOf: (name) => this.#recorderOf(name),
    })
    this.#loop = loop
    await loop.run(signal)
    this.#loop = undefined
  }

  #recorderOf(component: string): Recorder {
    const known = this.#recorders.get(component)
    if (known !== undefined) return known
    const { clock, log, random = systemRandom } = this.#options
    const made = createRecorder({ component, clock, log, random, mostPending: mostPendingEvents })
    this.#recorders.set(component, made)
    return made
  }

  async #flushEvents(): Promise<void> {
    const limit = deadline(this.#options.clock, new AbortController().signal, 0, flushMs)
    await Promise.all([...this.#recorders.values()].map((one) => one.flush(limit.signal)))
    limit.end()
  }
}
