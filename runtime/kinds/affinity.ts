/** Where the scheduler should, or must, put a pod. */
import type { LabelSelectorLike } from '../kernel/labels.ts'
import { dnsLabelProblems, qualifiedNameProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { forbidden, invalid, problems, required } from './findings.ts'
import { checkSelector } from './selectors.ts'
import type { List } from './shapes.ts'

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
  readonly labelSelector?: LabelSelectorLike
  readonly namespaceSelector?: LabelSelectorLike
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
export function checkAffinity(path: string, affinity: Affinity | undefined): readonly Finding[] {
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
): readonly Finding[] {
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

function checkExpression(path: string, requirement: NodeRequirement): readonly Finding[] {
  const { key = '', operator = '', values } = requirement
  return [
    ...checkCount(`${path}.values`, operator, values?.length ?? 0),
    ...problems(`${path}.key`, key, qualifiedNameProblems(key)),
  ]
}

function checkCount(path: string, operator: string, count: number): readonly Finding[] {
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
function checkField(path: string, requirement: NodeRequirement): readonly Finding[] {
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

function checkPodTerms(path: string, terms: PodTerms | undefined): readonly Finding[] {
  return [
    ...(terms?.[must] ?? []).flatMap((term, index) =>
      checkPodTerm(`${path}.${must}[${index}]`, term),
    ),
    ...(terms?.[should] ?? []).flatMap(({ podAffinityTerm = {} }, index) =>
      checkPodTerm(`${path}.${should}[${index}].podAffinityTerm`, podAffinityTerm),
    ),
  ]
}

function checkPodTerm(path: string, term: PodTerm): readonly Finding[] {
  const { labelSelector, namespaceSelector, namespaces, topologyKey } = term
  return [
    ...(labelSelector ? checkSelector(`${path}.labelSelector`, labelSelector) : []),
    ...(namespaceSelector ? checkSelector(`${path}.namespaceSelector`, namespaceSelector) : []),
    ...(namespaces ?? []).flatMap((name, index) =>
      problems(`${path}.namespaces[${index}]`, name, dnsLabelProblems(name)),
    ),
    ...(topologyKey
      ? problems(`${path}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey))
      : []),
  ]
}
