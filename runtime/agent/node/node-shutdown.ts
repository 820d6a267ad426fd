/** Pods end in the order of their importance before their machine goes down. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import { hasEnded, specOf } from '../../pods/pods.ts'
import type { WaitingReason } from '../decision/container-statuses.ts'

/** Pods of this priority or more, up to the next group, and the seconds that they have together. */
export interface ShutdownGroup {
  readonly priority: number
  readonly seconds: number
}

/** How long a node waits for its pods: in all, how much of that is for critical ones, or by priority. */
export interface ShutdownSettings {
  readonly seconds: number
  readonly criticalSeconds: number
  readonly byPriority: readonly ShutdownGroup[]
}

export interface ShutdownOptions {
  readonly groups: readonly ShutdownGroup[]
  pods(): readonly Stored<Pod>[]
  sendAway(pod: Stored<Pod>, why: WaitingReason & { readonly graceSeconds: number }): void
  readonly clock: Clock
  readonly log: Log
}

/** A node that may go down. */
export interface NodeShutdown {
  readonly isGoing: boolean
  /** Why a new pod has no place. */
  refusal(): WaitingReason | undefined
  /** Resolves when the pods have ended or their time is over; a second call waits for the first. */
  begin(): Promise<void>
}

const criticalPriority = 2_000_000_000
const usualGrace = 30
const lookMs = 100

/** The groups that settings mean, those that end first at first; none where pods have no time. */
export function shutdownGroups(settings: ShutdownSettings): readonly ShutdownGroup[] {
  const { seconds, criticalSeconds, byPriority } = settings
  if (byPriority.length > 0) return [...byPriority].sort((a, b) => a.priority - b.priority)
  if (seconds <= 0) return []
  return [
    { priority: 0, seconds: seconds - criticalSeconds },
    { priority: criticalPriority, seconds: criticalSeconds },
  ]
}

/** The pods of each group; less important ones than all groups are with the first. */
export function podsByGroup(
  pods: readonly Stored<Pod>[],
  groups: readonly ShutdownGroup[],
): readonly (readonly Stored<Pod>[])[] {
  const groupOf = (pod: Stored<Pod>) =>
    Math.max(
      0,
      groups.findLastIndex(({ priority }) => priority <= (specOf(pod).priority ?? 0)),
    )
  return groups.map((_, index) => pods.filter((pod) => groupOf(pod) === index))
}

/** A node that is not going down yet. */
export function nodeShutdown({ groups, pods, ...options }: ShutdownOptions): NodeShutdown {
  const { sendAway, clock, log } = options
  let going: Promise<void> | undefined

  async function end(): Promise<void> {
    log.info('the node goes down, and its pods end first', { pods: active().length })
    for (const [index, members] of podsByGroup(active(), groups).entries()) {
      const { seconds = 0 } = groups[index] ?? {}
      for (const pod of members) {
        const own = Number(specOf(pod).terminationGracePeriodSeconds ?? usualGrace)
        const message = 'Pod was terminated in response to imminent node shutdown.'
        sendAway(pod, { reason: 'Terminated', message, graceSeconds: Math.min(own, seconds) })
      }
      const uids = new Set(members.map(({ metadata }) => metadata.uid))
      const over = clock.monotonic() + seconds * 1000
      while (active().some(({ metadata }) => uids.has(metadata.uid))) {
        if (clock.monotonic() >= over) break
        await pause(clock, lookMs)
      }
    }
    const left = active().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    log.info('the time of pods is over', { left: left.join(' ') })
  }

  const active = () => pods().filter((pod) => !hasEnded(pod))
  return {
    get isGoing() {
      return going !== undefined
    },
    refusal: () =>
      going && {
        reason: 'NodeShutdown',
        message: 'Pod was rejected as the node is shutting down.',
      },
    begin() {
      going ??= end()
      return going
    },
  }
}
