/** Where the scheduler should, or must, put a pod. */
import type { LabelSelectorFields } from '../../../kernel/meta/label-selector.ts'
import { dnsLabelProblems, qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { forbidden, invalid, invalidAll, required } from '../../types/field-errors.ts'
import { checkSelector } from '../../types/label-selectors.ts'
import type { List } from '../../types/shapes.ts'

interface NodeRequirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: List<string>
}

export interface NodeTerm {
  readonly matchExpressions?: List<NodeRequirement>
  readonly matchFields?: List<NodeRequirement>
}

interface PodTerm {
  readonly labelSelector?: LabelSelectorFields
  readonly namespaceSelector?: LabelSelectorFields
  readonly namespaces?: List<string>
  readonly topologyKey?: string
}

interface PodTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: List<PodTerm>
  readonly preferredDuringSchedulingIgnoredDuringExecution?: List<{
    readonly podAffinityTerm?: PodTerm
  }>
}

export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: List<NodeTerm>
    }
    readonly preferredDuringSchedulingIgnoredDuringExecution?: List<{
      readonly preference?: NodeTerm
    }>
  }
  readonly podAffinity?: PodTerms
  readonly podAntiAffinity?: PodTerms
}

const must = 'requiredDuringSchedulingIgnoredDuringExecution'
const should = 'preferredDuringSchedulingIgnoredDuringExecution'

/** Everything wrong with the affinities of a pod. */
export function checkAffinity(path: string, affinity: Affinity | undefined): readonly FieldError[] {
  if (affinity === undefined) return []
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  const at = `${path}.nodeAffinity`
  const terms = nodeAffinity?.[must]
  return [
    ...(terms ? checkNodeTerms(`${at}.${must}.nodeSelectorTerms`, terms.nodeSelectorTerms) : []),
    ...(nodeAffinity?.[should] ?? []).flatMap(({ preference = {} }, index) =>
      checkNodeTerm(`${at}.${should}[${index}].preference`, preference),
    ),
    ...checkPodTerms(`${path}.podAffinity`, podAffinity),
    ...checkPodTerms(`${path}.podAntiAffinity`, podAntiAffinity),
  ]
}

/** Terms of which a node must meet one; without any, none would do. */
export function checkNodeTerms(
  path: string,
  terms: List<NodeTerm> | undefined,
): readonly FieldError[] {
  if (!terms?.length) return [required(path, 'must have at least one node selector term')]
  return terms.flatMap((term, index) => checkNodeTerm(`${path}[${index}]`, term))
}

function checkNodeTerm(path: string, { matchExpressions, matchFields }: NodeTerm) {
  return [
    ...(matchExpressions ?? []).flatMap((one, index) =>
      checkExpression(`${path}.matchExpressions[${index}]`, one),
    ),
    ...(matchFields ?? []).flatMap((one, index) =>
      checkField(`${path}.matchFields[${index}]`, one),
    ),
  ]
}

function checkExpression(path: string, requirement: NodeRequirement): readonly FieldError[] {
  const { key = '', operator = '', values } = requirement
  return [
    ...checkCount(`${path}.values`, operator, values?.length ?? 0),
    ...invalidAll(`${path}.key`, key, qualifiedNameProblems(key)),
  ]
}

function checkCount(path: string, operator: string, count: number): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count > 0) return []
      return [required(path, "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return []
      return [forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    case 'Gt':
    case 'Lt':
      if (count === 1) return []
      return [required(path, "must be specified single value when `operator` is 'Lt' or 'Gt'")]
    default:
      return []
  }
}

/** Of fields only the name can be asked for, and only whether it is one of one. */
function checkField(path: string, requirement: NodeRequirement): readonly FieldError[] {
  const { key, operator = '', values } = requirement
  const single = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
  const named = operator === 'In' || operator === 'NotIn'
  return [
    ...(named ? [] : [invalid(`${path}.operator`, operator, 'not a valid selector operator')]),
    ...(named && values?.length !== 1 ? [required(`${path}.values`, single)] : []),
    ...(key === 'metadata.name'
      ? []
      : [invalid(`${path}.key`, key, 'not a valid field selector key')]),
  ]
}

function checkPodTerms(path: string, terms: PodTerms | undefined): readonly FieldError[] {
  return [
    ...(terms?.[must] ?? []).flatMap((term, index) =>
      checkPodTerm(`${path}.${must}[${index}]`, term),
    ),
    ...(terms?.[should] ?? []).flatMap(({ podAffinityTerm = {} }, index) =>
      checkPodTerm(`${path}.${should}[${index}].podAffinityTerm`, podAffinityTerm),
    ),
  ]
}

function checkPodTerm(path: string, term: PodTerm): readonly FieldError[] {
  const { labelSelector, namespaceSelector, namespaces, topologyKey } = term
  return [
    ...(labelSelector ? checkSelector(`${path}.labelSelector`, labelSelector) : []),
    ...(namespaceSelector ? checkSelector(`${path}.namespaceSelector`, namespaceSelector) : []),
    ...(namespaces ?? []).flatMap((name, index) =>
      invalidAll(`${path}.namespaces[${index}]`, name, dnsLabelProblems(name)),
    ),
    ...(topologyKey
      ? invalidAll(`${path}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey))
      : []),
  ]
}
