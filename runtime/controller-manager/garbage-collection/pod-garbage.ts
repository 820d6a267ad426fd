import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Counter, Metrics } from '../../observe/observe.ts'
import { hasEnded } from '../../pods/pods.ts'
import {
  done,
  every,
  type KeyContext,
  type KeyController,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'

/** How often pods are looked at. */
const periodMs = 20_000

/** How long a node is missing before its pods go. */
const quarantineMs = 40_000

const all = [{ name: 'all' }]

/**
 * Deletes pods that no node will end (T-20): those of nodes that are gone, those that were to go before they had a node, those that go on a
 * node that is out of service, and the oldest of the finished ones beyond a number. Each is Failed before it goes, unless it has finished.
 *
 *   reads    Pod, Node
 *   writes   Pod: status, delete
 *   wakes    every 20 seconds
 *   settles  when there is no such pod
 */
export async function podGarbageController({
  name,
  platform,
  configuration,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const threshold = configuration.PodGCController.TerminatedPodGCThreshold
  const missing = new Map<string, number>()
  const counts = garbageMetrics(metrics)
  return [
    {
      name,
      concurrency: 1,
      watches: [watching(pods, () => []), watching(nodes, () => [])],
      sources: [every(periodMs, () => all)],
      async reconcile(_, context) {
        const { cached, clock } = context
        const observed = { pods: cached(pods).list(), nodes: cached(nodes).list(), missing }
        const options = { threshold, outOfService: `node.${platform.domain}/out-of-service` }
        for (const garbage of decideGarbage(observed, clock.now(), options)) {
          await collect(garbage, counts, context)
        }
        return done
      },
    },
  ]
}

/** Why a pod is to go: it has finished and there are too many, or its node is gone, was never there, or is out of service. */
export type GarbageReason = 'terminated' | 'orphaned' | 'unscheduled' | 'out-of-service'

/** A pod that is to go. One whose node is gone goes if the server says so too. */
export interface GarbagePod {
  readonly pod: Stored<Pod>
  readonly reason: GarbageReason
}

/** Counts of pods that go, and of those that cannot be deleted. */
interface GarbageMetrics {
  readonly deleted: Counter
  readonly failed: Counter
}

function garbageMetrics(metrics: Metrics): GarbageMetrics {
  return {
    deleted: metrics.counter('pod_gc_collector_force_delete_pods_total'),
    failed: metrics.counter('pod_gc_collector_force_delete_pod_errors_total'),
  }
}

/** What is observed of pods and nodes. */
export interface ObservedPods {
  readonly pods: readonly Stored<Pod>[]
  readonly nodes: readonly Stored<Node>[]
  /** Since when nodes are missing that pods name; it is brought up to date. */
  readonly missing: Map<string, number>
}

/** What garbage is. */
export interface GarbageOptions {
  /** Finished pods that may stay; none or less is any number. */
  readonly threshold: number
  /** The key of the taint of nodes that are out of service. */
  readonly outOfService: string
}

/** The pods that are to go now, each once. */
export function decideGarbage(
  { pods: every, nodes: present, missing }: ObservedPods,
  now: number,
  { threshold, outOfService }: GarbageOptions,
): readonly GarbagePod[] {
  const byName = new Map(present.map((node) => [node.metadata.name, node]))
  const named = new Set(every.map(nodeOf).filter((name) => name !== '' && !byName.has(name)))
  for (const name of missing.keys()) if (!named.has(name)) missing.delete(name)
  for (const name of named) if (!missing.has(name)) missing.set(name, now)
  const isLost = (pod: Stored<Pod>) => now - (missing.get(nodeOf(pod)) ?? now) >= quarantineMs
  const finished = every.filter(hasEnded).sort(byAge)
  const surplus = threshold > 0 ? finished.slice(0, Math.max(0, finished.length - threshold)) : []
  const stuck = every.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const isOnLostMachine = (pod: Stored<Pod>): boolean => {
    const node = byName.get(nodeOf(pod))
    return node !== undefined && isOut(node, outOfService)
  }
  const going = new Map<string, GarbagePod>()
  const add = (reason: GarbageReason, some: readonly Stored<Pod>[]): void => {
    for (const pod of some) going.set(pod.metadata.uid, { pod, reason })
  }
  add('terminated', surplus)
  add(
    'unscheduled',
    stuck.filter((pod) => nodeOf(pod) === ''),
  )
  add('out-of-service', stuck.filter(isOnLostMachine))
  add('orphaned', every.filter(isLost))
  return [...going.values()]
}

function nodeOf({ spec }: Pod): string {
  return spec?.nodeName ?? ''
}

/** Evicted pods first, then older ones, then by name. */
function byAge(one: Stored<Pod>, other: Stored<Pod>): number {
  const rank = (pod: Stored<Pod>) => [
    pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted' ? '0' : '1',
    pod.metadata.creationTimestamp,
    pod.metadata.name,
  ]
  const [a, b] = [rank(one).join(' '), rank(other).join(' ')]
  return a < b ? -1 : a > b ? 1 : 0
}

function isOut({ spec, status }: Stored<Node>, taint: string): boolean {
  const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True')
  return isReady !== true && spec?.taints?.some(({ key }) => key === taint) === true
}

/** Writes that a pod failed, and deletes it at once. */
async function collect(
  { pod, reason }: GarbagePod,
  { deleted, failed }: GarbageMetrics,
  { client, clock, signal }: KeyContext,
): Promise<void> {
  const orphaned = reason === 'orphaned'
  const labels = [pod.metadata.namespace, reason]
  if (orphaned && (await client.resource(nodes).find(nodeOf(pod), signal)) !== undefined) return
  const resource = client.resource(pods).in(pod.metadata.namespace)
  try {
    if (!hasEnded(pod)) {
      await resource.mergePatch(pod.metadata.name, failedPatch(pod, orphaned, clock.now()), {
        subresource: 'status',
      })
    }
    await resource.delete(pod, { gracePeriodSeconds: 0 })
    deleted.add(labels)
  } catch (error) {
    if (isStatus(error, 'NotFound') || isStatus(error, 'Conflict')) return
    failed.add(labels)
    throw error
  }
}

function failedPatch(pod: Stored<Pod>, orphaned: boolean, now: number) {
  const { uid, resourceVersion } = pod.metadata
  if (!orphaned) return { metadata: { uid, resourceVersion }, status: { phase: 'Failed' } } as const
  const type = 'DisruptionTarget'
  const others = pod.status?.conditions?.filter((one) => one.type !== type) ?? []
  const condition = {
    ...{ type, status: 'True', reason: 'DeletionByPodGC' },
    message: 'PodGC: node no longer exists',
    lastTransitionTime: timestamp(now),
  }
  return {
    metadata: { uid, resourceVersion },
    status: { phase: 'Failed', conditions: [...others, condition] },
  } as const
}
