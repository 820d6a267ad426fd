import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { isActive, isReady, readySince } from './pod-state.ts'

/** What decides between pods beside what they are themselves. */
export interface DeletionOrderOptions {
  readonly platform: Pick<Platform, 'domain'>
  /** Pods that do the same work, these ones among them: nodes with many of them are relieved first. */
  readonly related: readonly Stored<Pod>[]
  readonly now: number
}

/**
 * Pods in the order in which they go when there are too many: unassigned, pending, not ready, cheap to delete, crowded, ready for a short
 * time, restarted often, new. Times count by their order of magnitude only.
 */
export function deletionOrder(
  pods: readonly Stored<Pod>[],
  { platform, related, now }: DeletionOrderOptions,
): readonly Stored<Pod>[] {
  const crowds = countByNode(related)
  const ranks = new Map(pods.map((pod) => [pod, rankOf(pod, crowds, platform)]))
  return [...pods].sort((one, other) => {
    const [a, b] = [ranks.get(one)!, ranks.get(other)!]
    return (
      compareStates(a, b) ||
      a.cost - b.cost ||
      b.crowd - a.crowd ||
      compareMagnitudes(a, b, 'readySince', now) ||
      b.restarts - a.restarts ||
      compareMagnitudes(a, b, 'created', now)
    )
  })
}

/** The same without costs and crowds, and with exact times: for pods that are alike wherever they run. */
export function youngestFirst(pods: readonly Stored<Pod>[]): readonly Stored<Pod>[] {
  const ranks = new Map(pods.map((pod) => [pod, rankOf(pod, new Map(), undefined)]))
  return [...pods].sort((one, other) => {
    const [a, b] = [ranks.get(one)!, ranks.get(other)!]
    return (
      compareStates(a, b) ||
      compareTimes(a.readySince, b.readySince) ||
      b.restarts - a.restarts ||
      compareTimes(a.created, b.created)
    )
  })
}

/** What of a pod decides. */
interface Rank {
  readonly assigned: number
  readonly phase: number
  readonly ready: number
  readonly cost: number
  readonly crowd: number
  readonly restarts: number
  /** 0 for a pod that does not say. */
  readonly readySince: number
  readonly created: number
  readonly uid: string
}

const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

function rankOf(
  pod: Stored<Pod>,
  crowds: ReadonlyMap<string, number>,
  platform: Pick<Platform, 'domain'> | undefined,
): Rank {
  const { metadata, spec, status } = pod
  const node = spec?.nodeName ?? ''
  const restarts = status?.containerStatuses?.map(({ restartCount }) => restartCount ?? 0) ?? []
  return {
    assigned: node === '' ? 0 : 1,
    phase: phases[status?.phase ?? ''] ?? 0,
    ready: isReady(pod) ? 1 : 0,
    cost: platform === undefined ? 0 : costOf(pod, platform),
    crowd: crowds.get(node) ?? 0,
    restarts: Math.max(0, ...restarts),
    readySince: readySince(pod) ?? 0,
    created: Date.parse(metadata.creationTimestamp) || 0,
    uid: metadata.uid,
  }
}

function compareStates(a: Rank, b: Rank): number {
  return a.assigned - b.assigned || a.phase - b.phase || a.ready - b.ready
}

/** Without a time first, then the later one. */
function compareTimes(a: number, b: number): number {
  if (a === 0 || b === 0) return (a === 0 ? 0 : 1) - (b === 0 ? 0 : 1)
  return b - a
}

/** As `compareTimes`, but times as long ago as each other by their binary magnitude are told apart by what is random. */
function compareMagnitudes(a: Rank, b: Rank, time: 'readySince' | 'created', now: number): number {
  if (a[time] === b[time]) return 0
  if (a[time] === 0 || b[time] === 0) return compareTimes(a[time], b[time])
  const difference = magnitude(now - a[time]) - magnitude(now - b[time])
  return difference !== 0 ? difference : a.uid < b.uid ? -1 : 1
}

/** The binary logarithm of a time in nanoseconds. */
function magnitude(ms: number): number {
  return ms > 0 ? Math.floor(Math.log2(ms * 1e6)) : -1
}

/** The cost that an annotation states; 0 for one that is no whole number of 32 bits. */
function costOf({ metadata }: Pod, { domain }: Pick<Platform, 'domain'>): number {
  const text = metadata.annotations?.[`controller.${domain}/pod-deletion-cost`] ?? ''
  if (!/^(0|[1-9][0-9]{0,9}|-[0-9]{1,40})$/.test(text)) return 0
  const cost = Number(text)
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0
}

function countByNode(pods: readonly Stored<Pod>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const pod of pods.filter(isActive)) {
    const node = pod.spec?.nodeName ?? ''
    counts.set(node, (counts.get(node) ?? 0) + 1)
  }
  return counts
}
