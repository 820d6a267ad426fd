/** The scopes of quotas: which objects a quota counts. */
import type { PodSpec } from '../../generated/apis/core/v1/pod.ts'
import type {
  ResourceQuota,
  ScopedResourceSelectorRequirement,
} from '../../generated/apis/core/v1/resource-quota.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { parseQuantity } from '../kernel/values/quantity.ts'
import { containersOf, isPositive, podSpecOf, type QuantityTexts } from '../pods/pods.ts'

/** True for a quota with scopes, which counts only pods. */
export function isScoped(quota: ResourceQuota): boolean {
  return requirementsOf(quota).length > 0
}

/**
 * True for every object if the quota has no scopes, else for the pods that match all of them.
 * `scopes` and `scopeSelector` add up: a pod has to match the requirements of both.
 */
export function matchesScopes(
  quota: ResourceQuota,
  { group, plural }: Pick<AnyKind, 'group' | 'plural'>,
  object: ApiObject,
): boolean {
  const requirements = requirementsOf(quota)
  if (requirements.length === 0) return true
  if (group !== '' || plural !== 'pods') return false
  const spec = podSpecOf(object)
  return requirements.every((requirement) => matchesScope(requirement, spec))
}

/** Both notations of scopes as requirements. */
function requirementsOf({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  return [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ]
}

/** Unknown scopes match no pod. */
function matchesScope(
  requirement: ScopedResourceSelectorRequirement,
  spec: Partial<PodSpec>,
): boolean {
  switch (requirement.scopeName) {
    case 'Terminating':
      return (spec.activeDeadlineSeconds ?? -1) >= 0
    case 'NotTerminating':
      return (spec.activeDeadlineSeconds ?? -1) < 0
    case 'BestEffort':
      return isBestEffort(spec)
    case 'NotBestEffort':
      return !isBestEffort(spec)
    case 'PriorityClass':
      return matchesPriorityClass(requirement, spec.priorityClassName || undefined)
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(spec)
    default:
      return false
  }
}

/** `Exists` and `DoesNotExist` look at whether there is a class name at all. */
function matchesPriorityClass(
  { operator, values = [] }: ScopedResourceSelectorRequirement,
  name: string | undefined,
): boolean {
  const isListed = name !== undefined && values.includes(name)
  if (operator === 'In') return isListed
  if (operator === 'NotIn') return !isListed
  return operator === 'Exists' ? name !== undefined : name === undefined
}

/** True if no container requests or limits CPU or memory. */
function isBestEffort(spec: Partial<PodSpec>): boolean {
  return !containersOf(spec).some(
    ({ resources }) => hasCompute(resources?.requests) || hasCompute(resources?.limits),
  )
}

function hasCompute(list: QuantityTexts): boolean {
  return ['cpu', 'memory'].some((name) => {
    const quantity = parseQuantity(list?.[name] ?? '')
    return quantity !== undefined && isPositive(quantity)
  })
}

/** True if a term of affinity or anti-affinity selects namespaces, even the pod's own. */
function hasCrossNamespaceAffinity({ affinity }: Partial<PodSpec>): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ])
  return terms.some(
    ({ namespaces, namespaceSelector }) =>
      (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
  )
}
