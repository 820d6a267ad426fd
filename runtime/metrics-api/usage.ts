import type { NodeSamples, PodSamples, Sample } from './samples.ts'

/** What something uses, and over how many milliseconds before `at` that was found out. */
export interface Usage {
  readonly at: number
  readonly windowMs: number
  readonly nanocores: number
  readonly memoryBytes: number
}

/** What the containers of a pod use. */
export interface PodUsage {
  readonly uid: string
  readonly at: number
  readonly windowMs: number
  readonly containers: ReadonlyMap<string, Usage>
}

/** What a node uses, and each of its pods by `namespace/name`. */
export interface NodeUsage {
  readonly node: Usage | undefined
  readonly pods: ReadonlyMap<string, PodUsage>
}

/** A container that was seen once only is judged from its start, if that was within so many milliseconds before. */
const freshMs = 60_000

/** What was used between two looks at a node. A pod is left out while one of its containers is not known yet. */
export function usageBetween(before: NodeSamples | undefined, now: NodeSamples): NodeUsage {
  const former = new Map(before?.pods.map((pod) => [pod.uid, pod]))
  const pods = now.pods.flatMap((pod) => {
    const usage = podUsage(former.get(pod.uid), pod)
    return usage === undefined ? [] : [[`${pod.namespace}/${pod.name}`, usage] as const]
  })
  const node = now.node && usageOf(before?.node, now.node)
  return { node, pods: new Map(pods) }
}

function podUsage(before: PodSamples | undefined, pod: PodSamples): PodUsage | undefined {
  const containers = new Map<string, Usage>()
  for (const [name, sample] of pod.containers) {
    const usage = usageOf(before?.containers.get(name), sample)
    if (usage === undefined) return undefined
    containers.set(name, usage)
  }
  const [first, ...others] = containers.values()
  if (first === undefined) return undefined
  const oldest = others.reduce((found, one) => (one.at < found.at ? one : found), first)
  return { uid: pod.uid, at: oldest.at, windowMs: oldest.windowMs, containers }
}

/** Undefined for what was not seen before and is not new, and for a clock that went back. A counter that went back is one that began anew. */
function usageOf(before: Sample | undefined, now: Sample): Usage | undefined {
  const isSame = before !== undefined && before.cpuNanoseconds <= now.cpuNanoseconds
  if (!isSame && now.at - now.startedAt > freshMs) return undefined
  const since = isSame ? before : { at: now.startedAt, cpuNanoseconds: 0 }
  const windowMs = now.at - since.at
  if (windowMs <= 0) return undefined
  const spent = now.cpuNanoseconds - since.cpuNanoseconds
  return {
    ...{ at: now.at, windowMs, memoryBytes: now.memoryBytes },
    nanocores: Math.round((spent / windowMs) * 1000),
  }
}
