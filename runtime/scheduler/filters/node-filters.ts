/** What a node itself says of pods: whatever else is on it. */
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { matchesNodeAffinity, toleratedBy, untolerated } from '../../pods/pods.ts'
import { knownByNode } from '../facts/known-by-node.ts'
import type { PlatformKeys } from '../facts/platform-keys.ts'
import type { PodClass } from '../facts/pod-class.ts'
import { type Rejection, unfit } from './rejection.ts'

/** Why a node is not for pods of a class; looked at once while the node stays as it is. */
export function nodeRejection(
  pods: PodClass,
  node: Stored<Node>,
  keys: PlatformKeys,
): Rejection | undefined {
  const found = verdictOf(pods, node, keys)
  return found === 'fits' ? undefined : found
}

const verdictOf = knownByNode(
  (pods, node, keys: PlatformKeys): Rejection | 'fits' => look(pods, node, keys) ?? 'fits',
)

function look({ spec }: PodClass, node: Stored<Node>, keys: PlatformKeys): Rejection | undefined {
  const { tolerations } = spec
  if (node.spec?.unschedulable === true) {
    const taint = { key: keys.unschedulable, effect: 'NoSchedule' } as const
    if (!toleratedBy(tolerations, taint)) {
      return unfit('NodeUnschedulable', 'node(s) were unschedulable')
    }
  }
  const bad = untolerated(node.spec?.taints, tolerations, ['NoSchedule', 'NoExecute'])
  if (bad !== undefined) {
    const { key, value = '' } = bad
    return unfit('TaintToleration', `node(s) had untolerated taint {${key}: ${value}}`)
  }
  if (matchesNodeAffinity(spec, node)) return undefined
  return unfit('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")
}

/**
 * The nodes that the required node affinity of pods names one by one; undefined if any node may match. An empty set is of terms that
 * contradict themselves.
 */
export function namedNodes({ spec }: PodClass): ReadonlySet<string> | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = required?.nodeSelectorTerms ?? []
  if (terms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => values)
    const [first, ...rest] = lists
    if (first === undefined) return undefined
    for (const name of first) if (rest.every((list) => list.includes(name))) names.add(name)
  }
  return names
}
