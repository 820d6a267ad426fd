/** Whether a node is one that a pod selects. */
import type { Node } from '../../generated/apis/core/v1/node.ts'
import type { PodSpec } from '../../generated/apis/core/v1/pod.ts'
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from '../../generated/apis/core/v1/scheduling.ts'
import {
  type LabelOperator,
  type LabelRequirement,
  matchesLabels,
} from '../kernel/meta/label-selector.ts'
import type { Stored } from '../kernel/meta/object.ts'

type NodeFacts = Pick<Stored<Node>, 'metadata'>

/** True for a node with the labels of the node selector of a pod, where its required node affinity lets it be. */
export function matchesNodeAffinity(
  { nodeSelector, affinity }: Pick<PodSpec, 'nodeSelector' | 'affinity'>,
  node: NodeFacts,
): boolean {
  const { labels = {} } = node.metadata
  const wanted = Object.entries(nodeSelector ?? {})
  if (!wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value))
    return false
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesNodeSelector(required, node)
}

/** True for a node that one of the terms matches. */
export function matchesNodeSelector({ nodeSelectorTerms }: NodeSelector, node: NodeFacts): boolean {
  return nodeSelectorTerms.some((term) => matchesNodeTerm(term, node))
}

/** True for a node that meets every requirement of a term. An empty term matches no node. */
export function matchesNodeTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata: { labels, name } }: NodeFacts,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  const [onLabels, onFields] = [matchExpressions.map(requirementOf), matchFields.map(requirementOf)]
  return (
    onLabels.every((one) => one !== undefined && matchesLabels([one], labels)) &&
    onFields.every((one) => one !== undefined && matchesLabels([one], { 'metadata.name': name }))
  )
}

const operators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
])

function requirementOf({
  key,
  operator,
  values = [],
}: NodeSelectorRequirement): LabelRequirement | undefined {
  const known = operators.get(operator)
  return known && { key, operator: known, values }
}
