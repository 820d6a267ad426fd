/** Sends pods away where the node runs short. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { printQuantity } from '../../kernel/values/quantity.ts'
import type { Log } from '../../observe/observe.ts'
import { hasEnded, qosClassOf, specOf, toleratedBy } from '../../pods/pods.ts'
import { bytesOf } from '../containers/resources.ts'
import type { WaitingReason } from '../decision/container-statuses.ts'
import {
  decidePressure,
  type NodePressure,
  noPressure,
  type Observations,
} from './decide-pressure.ts'
import { isCritical, type PodUse, rankPods, resourceOf, usedOf } from './rank-pods.ts'
import { boundFor, type Signal, type Threshold } from './thresholds.ts'

export interface EvictorOptions {
  readonly thresholds: readonly Threshold[]
  readonly transitionMs: number
  /** Most seconds that a pod has to end at a soft threshold; below zero as many as it wants. */
  readonly softGraceSeconds: number
  /** The word before the keys of taints. */
  readonly domain: string
  /** Looks at the machine. */
  observe(): Observations
  /** What pods use; of the disk only where it is what the signal is about. */
  uses(signal: Signal): Promise<readonly PodUse[]>
  /** Why a pod has to go for what it alone uses. */
  overLimit(pod: Stored<Pod>): Promise<WaitingReason | undefined>
  pods(): readonly Stored<Pod>[]
  /** Frees disk of what nothing uses. */
  reclaim(): Promise<void>
  sendAway(pod: Stored<Pod>, why: WaitingReason & { readonly graceSeconds?: number }): void
  readonly clock: Clock
  readonly log: Log
}

/** Watches over what the node has left. */
export interface Evictor {
  pressure(): NodePressure
  /** Why a new pod has no place while the node is short; undefined if it has one. */
  refusal(pod: Stored<Pod>): WaitingReason | undefined
  /** Looks once: pods that use more than they may go, and one more where the node is short. */
  look(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

const everyMs = 10_000
const names = { memory: 'memory', disk: 'disk', pids: 'pid' } as const
const conditions = { memory: 'MemoryPressure', disk: 'DiskPressure', pids: 'PIDPressure' } as const

/** An evictor that has not looked yet. */
export function createEvictor(options: EvictorOptions): Evictor {
  const { thresholds, transitionMs, softGraceSeconds, domain, clock, log } = options
  let state = noPressure

  async function lookAtLimits(): Promise<void> {
    for (const pod of options.pods()) {
      const why = hasEnded(pod) ? undefined : await options.overLimit(pod)
      if (why !== undefined) options.sendAway(pod, { ...why, graceSeconds: 0 })
    }
  }

  async function look(): Promise<void> {
    await lookAtLimits()
    let seen = options.observe()
    const decide = () => decidePressure(thresholds, seen, state, { now: clock.now(), transitionMs })
    state = decide()
    const [first] = state.due
    if (first === undefined) return
    if (resourceOf(first.signal) === 'ephemeral-storage') {
      await options.reclaim()
      seen = options.observe()
      state = decide()
      if (!state.due.includes(first)) return
    }
    const [use] = rankPods(first.signal, await options.uses(first.signal))
    if (use === undefined) return log.info('no pod can be sent away', { signal: first.signal })
    const message = messageOf(first, use, seen)
    log.info('a pod is sent away', { pod: use.pod.metadata.name, signal: first.signal })
    const graceSeconds = first.graceMs === 0 ? 0 : softGraceOf(use.pod)
    options.sendAway(use.pod, { reason: 'Evicted', message, graceSeconds })
  }

  function softGraceOf(pod: Stored<Pod>): number {
    const own = Number(specOf(pod).terminationGracePeriodSeconds ?? 30)
    return softGraceSeconds < 0 ? own : Math.min(own, softGraceSeconds)
  }

  return {
    look,
    pressure: () => state.pressure,
    refusal(pod) {
      const under = (Object.keys(names) as (keyof typeof names)[]).filter(
        (name) => state.pressure[name],
      )
      if (under.length === 0 || isCritical(pod)) return undefined
      if (under.join() === 'memory') {
        if (qosClassOf(specOf(pod)) !== 'BestEffort') return undefined
        const taint = { key: `${domain}/memory-pressure`, effect: 'NoSchedule' } as const
        if (toleratedBy(specOf(pod).tolerations, taint)) return undefined
      }
      const held = under.map((name) => conditions[name]).join(' ')
      return { reason: 'Evicted', message: `The node had condition: [${held}]. ` }
    },
    async run(signal) {
      while (!signal.aborted) {
        await look().catch((error) => log.error('what the node has left is not known', {}, error))
        await pause(clock, everyMs, signal)
      }
    },
  }
}

function messageOf(threshold: Threshold, use: PodUse, seen: Observations): string {
  const { signal, text, part } = threshold
  const left = seen.get(signal)
  const resource = resourceOf(signal)
  const parts = [`The node was low on resource: ${resource}. `]
  if (left !== undefined) {
    const bound = part === undefined ? text : printed(boundFor(threshold, left.capacity))
    parts.push(`Threshold quantity: ${bound}, available: ${printed(left.available)}. `)
  }
  for (const { name, resources } of specOf(use.pod).containers) {
    const found = use.containers.find((one) => one.name === name)
    const used = found && usedOf(signal, { ...found, processes: 0 })
    const asked = resources?.requests?.[resource] ?? '0'
    if (used === undefined || used <= bytesOf(asked)) continue
    parts.push(
      `Container ${name} was using ${printed(used)}, request is ${asked}, has larger consumption of ${resource}. `,
    )
  }
  return parts.join('')
}

/** An amount as quantities of bytes are written. */
function printed(amount: number): string {
  const nanos = BigInt(Math.floor(amount)) * 10n ** 9n
  return printQuantity({ negative: false, nanos, family: 'binary' })
}
