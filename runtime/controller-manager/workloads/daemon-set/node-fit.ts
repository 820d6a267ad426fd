/** Whether pods of a template may be on a node. */
import type { Node, Taint } from '../../../../generated/apis/core/v1/node.ts'
import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Toleration,
} from '../../../../generated/apis/core/v1/scheduling.ts'
import {
  type LabelOperator,
  type LabelRequirement,
  matchesLabels,
} from '../../../kernel/meta/label-selector.ts'
import type { Stored } from '../../../kernel/meta/object.ts'

/** What a pod may do on a node. */
export interface NodeFit {
  /** One may begin there. */
  readonly starts: boolean
  /** One that is there already may stay. */
  readonly stays: boolean
}

const nowhere: NodeFit = { starts: false, stays: false }

/** What a pod of such a spec may do on a node. Taints that keep new pods away let those stay that are there. */
export function fitOf(spec: PodSpec, node: Stored<Node>): NodeFit {
  if ((spec.nodeName ?? '') !== '' && spec.nodeName !== node.metadata.name) return nowhere
  if (!matchesNode(spec, node)) return nowhere
  const bad = (node.spec?.taints ?? []).filter(
    (taint) => !(spec.tolerations ?? []).some((one) => tolerates(one, taint)),
  )
  const stays = !bad.some(({ effect }) => effect === 'NoExecute')
  return { stays, starts: stays && !bad.some(({ effect }) => effect === 'NoSchedule') }
}

/** True for a toleration that a taint does not get past. */
export function tolerates(
  { key = '', operator, value = '', effect }: Toleration,
  taint: Taint,
): boolean {
  if (effect && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  return operator === 'Exists' || (key !== '' && value === (taint.value ?? ''))
}

function matchesNode({ nodeSelector, affinity }: PodSpec, { metadata }: Stored<Node>): boolean {
  const { labels, name } = metadata
  const wanted = Object.entries(nodeSelector ?? {})
  if (!wanted.every(([key, value]) => labels?.[key] === value)) return false
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required === undefined) return true
  return required.nodeSelectorTerms.some((term) => matchesTerm(term, labels, name))
}

/** An empty term matches no node. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  labels: Readonly<Record<string, string>> | undefined,
  name: string,
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
