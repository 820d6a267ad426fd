import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import type { FilterName } from '../filters/rejection.ts'
import { type ClusterEvent, mayHelp } from './cluster-event.ts'
import { Heap } from './heap.ts'

/** A pod that has no node yet. */
export interface QueuedPod {
  info: PodInfo
  /** When it came to where it waits. */
  since: number
  /** When it was to be tried first; undefined while gates hold it. */
  first: number | undefined
  attempts: number
  /** What was against it the last time. */
  filters: ReadonlySet<FilterName>
  /** Where it waits; taken while it is tried. */
  place: 'active' | 'backoff' | 'unschedulable' | 'gated' | 'taken'
  /** Until when it is not tried again. */
  until: number
  /** Which of equal ones came first. */
  readonly order: number
}

/** How long pods wait. */
export interface QueueTimes {
  readonly clock: Clock
  /** Milliseconds after the first failure; doubled with each one. */
  readonly backoffMs: number
  readonly mostBackoffMs: number
  /** Milliseconds after which a pod is tried again though nothing happened. */
  readonly flushMs: number
}

/** How often pods are looked for that nothing happened for. */
const lookMs = 30_000

/** Counts what comes into a queue. */
export type Incoming = (
  queue: 'active' | 'backoff' | 'unschedulable' | 'gated',
  event: string,
) => void

/**
 * Pods without a node: those to be tried now, the most important first; those that failed a moment ago; those for which something has to
 * happen first; those that gates hold.
 */
export class SchedulingQueue {
  readonly #times: QueueTimes
  readonly #wake: () => void
  readonly #incoming: Incoming
  readonly #pods = new Map<string, QueuedPod>()
  readonly #active = new Heap<QueuedPod>(
    (a, b) =>
      a.info.class.priority > b.info.class.priority ||
      (a.info.class.priority === b.info.class.priority &&
        (a.since < b.since || (a.since === b.since && a.order < b.order))),
  )
  readonly #backoff = new Heap<QueuedPod>((a, b) => a.until < b.until)
  readonly #unschedulable = new Set<QueuedPod>()
  readonly #gated = new Set<QueuedPod>()
  #events = 0
  #order = 0
  #cancelBackoff: (() => void) | undefined
  #cancelFlush: (() => void) | undefined

  /** `wake` is called when there is a pod to be tried. */
  constructor(times: QueueTimes, wake: () => void, incoming: Incoming = () => {}) {
    this.#times = times
    this.#wake = wake
    this.#incoming = incoming
  }

  /** How many wait, by where. */
  get sizes() {
    return {
      active: this.#active.size,
      backoff: this.#backoff.size,
      unschedulable: this.#unschedulable.size,
      gated: this.#gated.size,
    }
  }

  /** A number that grows with each event. */
  get events(): number {
    return this.#events
  }

  get(uid: string): QueuedPod | undefined {
    return this.#pods.get(uid)
  }

  /** A pod is there, or has changed. `matters`: the change may make a difference. */
  set(info: PodInfo, matters: boolean): void {
    const { uid } = info.pod.metadata
    const known = this.#pods.get(uid)
    if (known === undefined) {
      const now = this.#times.clock.now()
      const order = this.#order++
      const pod: QueuedPod = {
        ...{ info, since: now, first: undefined, attempts: 0, filters: new Set<FilterName>() },
        ...{ place: 'taken', until: 0, order },
      }
      this.#pods.set(uid, pod)
      this.#activate(pod, 'PodAdd')
      return
    }
    const { place } = known
    if (place === 'active') this.#active.delete(known)
    known.info = info
    if (place === 'active') this.#active.add(known)
    const waits = place === 'gated' || place === 'unschedulable'
    if (waits && matters) this.#retry(known, 'PodUpdate')
  }

  remove(uid: string): void {
    const pod = this.#pods.get(uid)
    if (pod === undefined) return
    this.#pods.delete(uid)
    this.#leave(pod)
  }

  /** The next pod to be tried; undefined if none is. It is to be given back, or removed. */
  take(): QueuedPod | undefined {
    const pod = this.#active.take()
    if (pod === undefined) return undefined
    pod.place = 'taken'
    pod.attempts += 1
    return pod
  }

  /** A pod has found no node. `since` is the number of events when it was taken: what happened meanwhile may have helped. */
  failed(pod: QueuedPod, filters: ReadonlySet<FilterName>, since: number): void {
    if (this.#pods.get(pod.info.pod.metadata.uid) !== pod || pod.place !== 'taken') return
    pod.filters = filters
    pod.since = this.#times.clock.now()
    pod.until = pod.since + this.#backoffOf(pod)
    if (filters.size === 0 || this.#events !== since) this.#backOff(pod, 'ScheduleAttemptFailure')
    else this.#park(pod)
  }

  /** Something happened. Pods for which it may help are tried again, if `accepts` says so, too. */
  happened(event: ClusterEvent, accepts: (info: PodInfo) => boolean = () => true): void {
    this.#events += 1
    for (const pod of [...this.#unschedulable]) {
      if (mayHelp(pod.filters, event) && accepts(pod.info)) this.#retry(pod, event)
    }
  }

  /** Takes its timers back. */
  close(): void {
    this.#cancelBackoff?.()
    this.#cancelFlush?.()
  }

  #retry(pod: QueuedPod, event: string): void {
    const isEarly = pod.place !== 'gated' && pod.until > this.#times.clock.now()
    this.#leave(pod)
    if (isEarly) this.#backOff(pod, event)
    else this.#activate(pod, event)
  }

  #activate(pod: QueuedPod, event: string): void {
    if (isGated(pod.info.pod)) {
      pod.place = 'gated'
      this.#gated.add(pod)
      this.#incoming('gated', event)
      return
    }
    pod.first ??= this.#times.clock.now()
    pod.place = 'active'
    this.#active.add(pod)
    this.#incoming('active', event)
    this.#wake()
  }

  #backOff(pod: QueuedPod, event: string): void {
    pod.place = 'backoff'
    this.#backoff.add(pod)
    this.#incoming('backoff', event)
    this.#armBackoff()
  }

  #park(pod: QueuedPod): void {
    pod.place = 'unschedulable'
    this.#unschedulable.add(pod)
    this.#incoming('unschedulable', 'ScheduleAttemptFailure')
    this.#armFlush()
  }

  #leave(pod: QueuedPod): void {
    if (pod.place === 'active') this.#active.delete(pod)
    if (pod.place === 'backoff') this.#backoff.delete(pod)
    this.#unschedulable.delete(pod)
    this.#gated.delete(pod)
    pod.place = 'taken'
  }

  #backoffOf({ attempts }: QueuedPod): number {
    const { backoffMs, mostBackoffMs } = this.#times
    return Math.min(mostBackoffMs, backoffMs * 2 ** Math.max(0, attempts - 1))
  }

  #armBackoff(): void {
    this.#cancelBackoff?.()
    this.#cancelBackoff = undefined
    const next = this.#backoff.first
    if (next === undefined) return
    const { clock } = this.#times
    this.#cancelBackoff = clock.after(Math.max(0, next.until - clock.now()), () => {
      const now = clock.now()
      for (let pod = this.#backoff.first; pod && pod.until <= now; pod = this.#backoff.first) {
        this.#leave(pod)
        this.#activate(pod, 'BackoffComplete')
      }
      this.#armBackoff()
    })
  }

  #armFlush(): void {
    if (this.#cancelFlush !== undefined || this.#unschedulable.size === 0) return
    const { clock, flushMs } = this.#times
    this.#cancelFlush = clock.after(Math.min(lookMs, flushMs), () => {
      this.#cancelFlush = undefined
      const early = clock.now() - flushMs
      const late = [...this.#unschedulable].filter(({ since }) => since < early)
      if (late.length > 0) this.#events += 1
      for (const pod of late) this.#retry(pod, 'UnschedulableTimeout')
      this.#armFlush()
    })
  }
}

/** True for a pod that others hold back. */
export function isGated({ spec }: Stored<Pod>): boolean {
  return (spec?.schedulingGates?.length ?? 0) > 0
}
