/** Which pod goes first where a node is short of something. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { podRequests, specOf } from '../../pods/pods.ts'
import { isMemory, type Signal } from './thresholds.ts'

/** What is used. */
export interface Use {
  readonly memoryBytes: number
  readonly diskBytes: number
  readonly processes: number
}

/** A pod, and what it and its containers use. */
export interface PodUse extends Use {
  readonly pod: Stored<Pod>
  readonly containers: readonly (Omit<Use, 'processes'> & { readonly name: string })[]
}

const criticalPriority = 2_000_000_000

/** True for a pod that the node never sends away or refuses for lack of something: of a manifest, which would come again at once, or critical. */
export function isCritical(pod: Stored<Pod>): boolean {
  return (specOf(pod).priority ?? 0) >= criticalPriority || isOfManifest(pod)
}

/** The pods that may go, first those that go first: who uses more than it asked for, the less important, who uses most beyond what it asked for. */
export function rankPods(signal: Signal, pods: readonly PodUse[]): readonly PodUse[] {
  const priority = ({ pod }: PodUse) => specOf(pod).priority ?? 0
  const excess = (use: PodUse) => usedOf(signal, use) - requestOf(signal, use)
  const exceeds = (use: PodUse) => (signal === 'pid.available' ? false : excess(use) > 0)
  return pods
    .filter(({ pod }) => !isCritical(pod))
    .sort(
      (a, b) =>
        Number(exceeds(b)) - Number(exceeds(a)) ||
        priority(a) - priority(b) ||
        excess(b) - excess(a),
    )
}

/** The name of what a signal is about, as pods ask for it. */
export function resourceOf(signal: Signal): 'memory' | 'ephemeral-storage' | 'pids' {
  if (isMemory(signal)) return 'memory'
  return signal === 'pid.available' ? 'pids' : 'ephemeral-storage'
}

/** What is used of what a signal is about. */
export function usedOf(signal: Signal, use: Use): number {
  if (isMemory(signal)) return use.memoryBytes
  return signal === 'pid.available' ? use.processes : use.diskBytes
}

/** What a pod asked for of what a signal is about. */
function requestOf(signal: Signal, { pod }: PodUse): number {
  const asked = podRequests(specOf(pod)).get(resourceOf(signal))
  return asked === undefined ? 0 : Number(asked.nanos / 10n ** 9n)
}

function isOfManifest({ metadata }: Stored<Pod>): boolean {
  return Object.entries(metadata.annotations ?? {}).some(
    ([key, value]) =>
      key.endsWith('/config.mirror') || (key.endsWith('/config.source') && value !== 'api'),
  )
}
