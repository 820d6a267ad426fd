/** How well nodes suit a pod by what they are and how full they are: 0 to 100, before others are looked at. */
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { matchesNodeTerm, toleratedBy } from '../../pods/pods.ts'
import { knownByNode } from '../facts/known-by-node.ts'
import type { PodClass } from '../facts/pod-class.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'

/** The best score. */
export const best = 100

/** More for a node with more left, of processor time and of memory alike. */
export function leastAllocated({ counted }: PodClass, node: NodeInfo): number {
  const { allocatable } = node
  let [sum, parts] = [0, 0]
  for (const name of ['cpu', 'memory'] as const) {
    if (allocatable[name] === 0) continue
    const taken = node.counted[name] + counted[name]
    const left = Math.max(0, allocatable[name] - taken)
    sum += Math.floor((left * best) / allocatable[name])
    parts += 1
  }
  return parts === 0 ? 0 : Math.floor(sum / parts)
}

/** More for a node of which as much processor time as memory would be taken. */
export function balancedAllocation({ requests }: PodClass, node: NodeInfo): number {
  const { allocatable, used } = node
  if (allocatable.cpu === 0 || allocatable.memory === 0) return best
  const cpu = Math.min(1, (used.cpu + requests.cpu) / allocatable.cpu)
  const memory = Math.min(1, (used.memory + requests.memory) / allocatable.memory)
  return Math.trunc((1 - Math.abs((cpu - memory) / 2)) * best)
}

const megabyte = 1024 * 1024
const [leastBytes, mostBytes] = [23 * megabyte, 1000 * megabyte]

/** More for a node that has the images of the pod, and the more so if other nodes have them, too. */
export function imageLocality({ spec }: PodClass, { node }: NodeInfo, cluster: Cluster): number {
  const images = node?.status?.images
  if (images === undefined || images.length === 0) return 0
  const total = cluster.nodes.length
  let bytes = 0
  for (const { image = '' } of spec.containers) {
    const name = fullName(image)
    const found = images.find(({ names }) => names?.includes(name))
    if (found === undefined) continue
    bytes += Math.trunc((found.sizeBytes ?? 0) * (cluster.nodesWithImage(name) / total))
  }
  const most = mostBytes * spec.containers.length
  const counted = Math.min(Math.max(bytes, leastBytes), most)
  return Math.floor((best * (counted - leastBytes)) / (most - leastBytes))
}

/** An image is called with its tag where nodes list it. */
function fullName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image
}

/** What a node says of pods of a class, while it stays as it is. */
interface Preferences {
  readonly taints: number
  readonly affinity: number
}

/** How many taints would rather keep the pod away, and the weight of the terms by which it would rather be there. */
export const preferencesOf = knownByNode<Preferences>((pods, node) => ({
  taints: unwelcome(pods, node),
  affinity: weightOf(pods, node),
}))

function unwelcome({ spec }: PodClass, node: Stored<Node>): number {
  const tolerations = spec.tolerations?.filter(
    ({ effect }) => !effect || effect === 'PreferNoSchedule',
  )
  return (node.spec?.taints ?? []).filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !toleratedBy(tolerations, taint),
  ).length
}

function weightOf({ spec }: PodClass, node: Stored<Node>): number {
  const terms = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return terms
    .filter(({ preference }) => matchesNodeTerm(preference, node))
    .reduce((sum, { weight }) => sum + weight, 0)
}

/** Counts as scores: the highest of them becomes the best score, or the worst where fewer are better. */
export function normalised(counts: readonly number[], fewerIsBetter = false): readonly number[] {
  const most = Math.max(...counts, 0)
  if (most === 0) return counts.map(() => (fewerIsBetter ? best : 0))
  return counts.map((count) => {
    const score = Math.floor((best * count) / most)
    return fewerIsBetter ? best - score : score
  })
}
