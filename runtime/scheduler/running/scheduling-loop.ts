import { pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../client/client.ts'
import { onAbort } from '../../kernel/async/abort-signal.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { deferred } from '../../kernel/async/deferred.ts'
import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Log } from '../../observe/observe.ts'
import type { Recorder } from '../../recorder/recorder.ts'
import { unfitMessage } from '../decision/messages.ts'
import { type Preemption, preempt } from '../decision/preempt.ts'
import { type DecisionOptions, schedule, type Unfit } from '../decision/schedule.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import type { FilterName } from '../filters/rejection.ts'
import type { QueuedPod, SchedulingQueue } from '../queue/scheduling-queue.ts'
import { assumeVolumes, bindOnce, type Placement } from './binding.ts'
import type { ClusterState } from './cluster-state.ts'
import { type PodNews, tellPod } from './pod-status.ts'
import type { AttemptResult, SchedulerMetrics } from './scheduler-metrics.ts'

/** What the loop works with. */
export interface LoopOptions {
  readonly queue: SchedulingQueue
  readonly state: ClusterState
  readonly decisions: DecisionOptions
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly metrics: SchedulerMetrics
  /** Tells of pods in the name of their scheduler. */
  readonly recorderOf: (name: string) => Recorder
}

/** So many pods are bound at a time. */
const mostBinding = 64

/** What came of a pod that has no node. */
interface Failure {
  readonly result: Exclude<AttemptResult, 'scheduled'>
  readonly message: string
  /** What was against it; empty if it is tried again in any case. */
  readonly filters: ReadonlySet<FilterName>
  /** The node that it waits for; empty for none, undefined for what it was. */
  readonly nominated: string | undefined
}

/** Finds nodes for pods, one after the other, and has them bound meanwhile. */
export class SchedulingLoop {
  readonly #options: LoopOptions
  readonly #under = new Set<Promise<void>>()
  #wake = deferred()

  constructor(options: LoopOptions) {
    this.#options = options
  }

  /** There may be a pod to be tried. */
  wake(): void {
    this.#wake.resolve()
  }

  /** Works until `signal` aborts, and what is under way is through. */
  async run(signal: AbortSignal): Promise<void> {
    const leave = onAbort(signal, () => this.wake())
    while (!signal.aborted) {
      const pod = this.#options.queue.take()
      if (pod === undefined) {
        await this.#wake.promise
        this.#wake = deferred()
        continue
      }
      await this.#try(pod, signal).catch((error: unknown) => this.#broken(pod, error))
      if (this.#under.size >= mostBinding) await Promise.race(this.#under)
      await yieldToEventLoop()
    }
    leave()
    await Promise.all(this.#under)
  }

  async #try(queued: QueuedPod, signal: AbortSignal): Promise<void> {
    const { queue, state, decisions, clock, metrics, client } = this.#options
    const { info } = queued
    const { metadata } = info.pod
    if (metadata.deletionTimestamp !== undefined) {
      queue.remove(metadata.uid)
      const message = `skip schedule deleting pod: ${metadata.namespace}/${metadata.name}`
      return this.#tell(info, { type: 'Warning', reason: 'FailedScheduling', message })
    }
    if (state.cluster.isAssumed(metadata.uid)) return
    const [begun, events] = [clock.monotonic(), queue.events]
    const decision = schedule(info, state.cluster, decisions)
    if ('node' in decision) {
      metrics.decided(clock.monotonic() - begun)
      const { node, volumes: plan } = decision
      state.cluster.assume(info, node)
      return this.#start(this.#bind(queued, { info, node, plan }, begun, signal))
    }
    const failure = await this.#unfit(info, decision.unfit)
    this.#fail(queued, failure, events, begun, client)
  }

  /** What is not expected of a pod must not keep others from their nodes: it is tried again later. */
  #broken(queued: QueuedPod, error: unknown): void {
    const { queue, client, clock, log } = this.#options
    const { namespace, name } = queued.info.pod.metadata
    log.error('a pod cannot be decided about', { pod: `${namespace}/${name}` }, error)
    const message = errorText(error)
    const failure: Failure = { result: 'error', message, filters: new Set(), nominated: undefined }
    this.#fail(queued, failure, queue.events, clock.monotonic(), client)
  }

  /** Makes room for a pod, or finds out why there is none. */
  async #unfit(info: PodInfo, unfit: Unfit): Promise<Failure> {
    const { decisions, clock, metrics } = this.#options
    const result = 'unschedulable'
    if (unfit.nodes === 0) {
      const message = 'no nodes available to schedule pods'
      return { result, message, filters: new Set(['NodeName']), nominated: '' }
    }
    const filters = new Set([...unfit.rejections.values()].map(({ filter }) => filter))
    // A pod that names nodes which are not there waits for these.
    if (filters.size === 0) filters.add('NodeAffinity')
    const found = preempt(info, unfit, { random: decisions.random, now: clock.now() })
    metrics.preempted('victims' in found ? found.victims.length : 0)
    const problem = 'victims' in found ? await this.#evict(info, found) : undefined
    const said = 'victims' in found ? (problem ?? '') : found.message
    const nominated =
      'victims' in found
        ? problem === undefined
          ? found.node
          : undefined
        : found.gaveUp
          ? ''
          : undefined
    return { result, message: unfitMessage(unfit, said), filters, nominated }
  }

  /** Deletes the victims of a pod. Gives what kept it from that. */
  async #evict(
    info: PodInfo,
    { node, victims }: Extract<Preemption, { readonly node: string }>,
  ): Promise<string | undefined> {
    const { client, clock, state, log } = this.#options
    state.cluster.nominate(info, node)
    const name = info.pod.spec?.schedulerName ?? ''
    const message = `${name}: preempting to accommodate a higher priority pod`
    const reason = 'PreemptionByScheduler'
    const evict = async (victim: PodInfo): Promise<void> => {
      const condition = { type: 'DisruptionTarget', status: 'True', reason, message } as const
      await tellPod(client, victim.pod, { condition }, clock.now())
      await client.resource(pods).delete(victim.pod).catch(unlessGone)
      const by = `Preempted by pod ${info.pod.metadata.uid} on node ${node}`
      this.#tell(victim, { type: 'Normal', reason: 'Preempted', message: by }, name)
    }
    const results = await Promise.allSettled(victims.map(evict))
    const failed = results.find((one) => one.status === 'rejected')
    const lesser = state.cluster
      .nominatedTo(node)
      .filter((one) => one.class.priority < info.class.priority)
    for (const one of lesser) {
      state.cluster.denominate(one.pod.metadata.uid)
      this.#start(this.#clearNomination(one))
    }
    if (failed?.status !== 'rejected') return undefined
    const why = errorText(failed.reason)
    log.warn('victims are not all deleted', { pod: info.pod.metadata.name, node, why })
    return `preemption: ${why}`
  }

  async #clearNomination({ pod }: PodInfo): Promise<void> {
    const { client, state, log } = this.#options
    const current = state.podNow(pod)
    const condition = current?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    if (current === undefined || condition === undefined) return
    try {
      await tellPod(client, current, { condition, nominated: '' }, this.#options.clock.now())
    } catch (error) {
      log.warn('a nomination is not cleared', { pod: pod.metadata.name, why: errorText(error) })
    }
  }

  async #bind(
    queued: QueuedPod,
    placement: Placement,
    begun: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, state, clock, metrics, queue } = this.#options
    const { info, node } = placement
    const { namespace, name, uid } = info.pod.metadata
    const release = assumeVolumes(placement, state)
    try {
      await bindOnce(placement, { client, state, clock, signal })
    } catch (error) {
      release()
      if (signal.aborted) return
      if (state.cluster.isAssumed(uid)) state.cluster.removePod(uid)
      queue.happened('AssignedPodDelete', (one) => one.pod.metadata.uid !== uid)
      const filters = new Set<FilterName>()
      const failure: Failure = {
        result: 'error',
        message: errorText(error),
        filters,
        nominated: '',
      }
      this.#fail(queued, failure, queue.events, begun, client)
      return
    }
    const profile = info.pod.spec?.schedulerName ?? ''
    metrics.attempted('scheduled', profile, clock.monotonic() - begun)
    metrics.bound(queued.attempts, clock.now() - (queued.first ?? clock.now()))
    const message = `Successfully assigned ${namespace}/${name} to ${node}`
    this.#tell(info, { type: 'Normal', reason: 'Scheduled', message })
  }

  /** A pod goes back to the queue, and its users are told why, unless it is gone or has a node by now. */
  #fail(
    queued: QueuedPod,
    { result, message, filters, nominated }: Failure,
    events: number,
    begun: number,
    client: Client,
  ): void {
    const { queue, state, clock, metrics, log } = this.#options
    const { info } = queued
    metrics.attempted(result, info.pod.spec?.schedulerName ?? '', clock.monotonic() - begun)
    const pod = state.podNow(info.pod)
    if (pod === undefined || (pod.spec?.nodeName ?? '') !== '') {
      queue.remove(info.pod.metadata.uid)
      return
    }
    if (nominated) state.cluster.nominate(info, nominated)
    if (nominated === '') state.cluster.denominate(pod.metadata.uid)
    queue.failed(queued, filters, events)
    const reason = result === 'error' ? 'SchedulerError' : 'Unschedulable'
    this.#tell(info, { type: 'Warning', reason: 'FailedScheduling', message })
    const condition = { type: 'PodScheduled', status: 'False', reason, message } as const
    const news: PodNews = { condition, ...(nominated !== undefined && { nominated }) }
    const told = tellPod(client, pod, news, clock.now()).catch((error: unknown) => {
      const facts = { pod: pod.metadata.name, why: errorText(error) }
      log.warn('a pod is not told why it has no node', facts)
    })
    this.#start(told)
  }

  #tell(
    { pod }: PodInfo,
    facts: { type: 'Normal' | 'Warning'; reason: string; message: string },
    name = pod.spec?.schedulerName ?? '',
  ): void {
    const action = actions[facts.reason] ?? 'Scheduling'
    this.#options.recorderOf(name).record(this.#options.client, pod, { action, ...facts })
  }

  #start(work: Promise<void>): void {
    const told = work.catch((error: unknown) => {
      this.#options.log.error('what was begun for a pod ended', {}, error)
    })
    this.#under.add(told)
    told.then(() => this.#under.delete(told))
  }
}

const actions: Readonly<Record<string, string>> = { Scheduled: 'Binding', Preempted: 'Preempting' }

function unlessGone(error: unknown): void {
  if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
}
