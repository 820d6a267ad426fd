/** One look for a node for a pod: what was counted of the cluster for it, and what each node says. */

import type { PodInfo } from '../facts/pod-class.ts'
import { fitRejection, portsRejection } from '../filters/fit.ts'
import { namedNodes, nodeRejection } from '../filters/node-filters.ts'
import { AffinityCounts } from '../filters/pod-affinity.ts'
import { type PodVolumes, podVolumesOf } from '../filters/pod-volumes.ts'
import { type Rejection, unfit } from '../filters/rejection.ts'
import { SpreadCounts } from '../filters/spread.ts'
import { planVolumes } from '../filters/volume-binding.ts'
import { ClaimUse, diskRejection, limitRejection } from '../filters/volume-use.ts'
import { zoneRejection } from '../filters/volume-zone.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { type DefaultSpread, defaultConstraints } from './default-spread.ts'

/** What was counted for a pod. It changes with the pods that are tried on nodes. */
export interface Counts {
  readonly spread: SpreadCounts | undefined
  readonly affinity: AffinityCounts | undefined
  readonly claims: ClaimUse | undefined
}

/** A pod that looks for a node. */
export interface Attempt {
  readonly info: PodInfo
  readonly cluster: Cluster
  readonly defaults: DefaultSpread
  readonly volumes: PodVolumes | undefined
  /** The nodes that it names; undefined for all. */
  readonly named: ReadonlySet<string> | undefined
  readonly counts: Counts
}

/** Counts what a pod needs to know, or says why no node will do. */
export function beginAttempt(
  info: PodInfo,
  cluster: Cluster,
  defaults: DefaultSpread,
): Attempt | Rejection {
  const pods = info.class
  const named = namedNodes(pods)
  if (named?.size === 0) return unfit('NodeAffinity', 'pod affinity terms conflict')
  const { found: volumes, rejection } = podVolumesOf(info, cluster)
  if (rejection !== undefined) return rejection
  const { nodes, lookups } = cluster
  const constraints =
    pods.spread?.required ?? defaultConstraints(pods, defaults, lookups, 'DoNotSchedule')
  return {
    ...{ info, cluster, defaults, volumes, named },
    counts: {
      spread: SpreadCounts.of(pods, constraints, nodes),
      affinity: AffinityCounts.of(pods, nodes, lookups.namespaceLabels),
      claims: volumes && ClaimUse.of(pods.namespace, volumes.exclusive, nodes),
    },
  }
}

/** The same counts, to be changed on their own. */
export function cloneCounts({ spread, affinity, claims }: Counts): Counts {
  return { spread: spread?.clone(), affinity: affinity?.clone(), claims: claims?.clone() }
}

/** A pod came to a node, or went from it. */
export function changeCounts(counts: Counts, info: PodInfo, node: NodeInfo, by: 1 | -1): void {
  counts.spread?.change(info, node, by)
  counts.affinity?.change(info, node, by)
  counts.claims?.change(info, by)
}

/** Why a node is not for the pod, by the first of all filters that has something against it. */
export function rejectionOf(
  attempt: Attempt,
  node: NodeInfo,
  counts: Counts = attempt.counts,
): Rejection | undefined {
  const { info, cluster, volumes } = attempt
  const pods = info.class
  return (
    nodeRejection(pods, node.node!, cluster.keys) ??
    portsRejection(pods, node) ??
    fitRejection(pods, node) ??
    (volumes && volumesRejection(attempt, volumes, node, counts)) ??
    counts.spread?.rejection(node) ??
    counts.affinity?.rejection(node)
  )
}

/** The same where pods wait for the node that are as important: with them, and without. */
export function rejectionBesideNominated(
  attempt: Attempt,
  node: NodeInfo,
  counts: Counts = attempt.counts,
): Rejection | undefined {
  const { info, cluster } = attempt
  const waiting = cluster
    .nominatedTo(node.name)
    .filter(
      (one) =>
        one.class.priority >= info.class.priority && one.pod.metadata.uid !== info.pod.metadata.uid,
    )
  if (waiting.length > 0) {
    const [others, changed] = [node.clone(), cloneCounts(counts)]
    for (const one of waiting) {
      others.add(one)
      changeCounts(changed, one, others, 1)
    }
    const rejection = rejectionOf(attempt, others, changed)
    if (rejection !== undefined) return rejection
  }
  return rejectionOf(attempt, node, counts)
}

function volumesRejection(
  { info, cluster }: Attempt,
  volumes: PodVolumes,
  node: NodeInfo,
  { claims }: Counts,
): Rejection | undefined {
  const use = diskRejection(volumes.volumes, node) ?? claims?.rejection()
  if (use !== undefined) return use
  const limit = limitRejection(info, node, cluster)
  if (limit !== undefined) return limit
  const plan = planVolumes(volumes, node, cluster)
  if ('filter' in plan) return plan
  return zoneRejection(volumes.places, node, cluster.keys)
}
