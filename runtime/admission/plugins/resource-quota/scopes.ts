/** Which objects a quota is about. */
import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { AnyKind } from '../../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import { type Container, containersOf, type PodSpec, podSpecOf } from '../pods/pod-spec.ts'
import { isPositive, type QuantityTexts } from '../pods/resource-lists.ts'

interface ScopeRequirement {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** The scopes of a quota, in one form. */
export function scopesOf({ spec }: ResourceQuota): readonly ScopeRequirement[] {
  return [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...((spec?.scopeSelector?.matchExpressions ?? []) as readonly ScopeRequirement[]),
  ]
}

/** True for every object in front of a quota without scopes; of one with scopes, for the pods of which all of them hold. */
export function matchesScopes(
  quota: ResourceQuota,
  { group, plural }: Pick<AnyKind, 'group' | 'plural'>,
  object: ApiObject,
): boolean {
  const scopes = scopesOf(quota)
  if (scopes.length === 0) return true
  const spec = podSpecOf(object)
  return group === '' && plural === 'pods' && scopes.every((scope) => matchesScope(scope, spec))
}

function matchesScope(
  { scopeName, operator, values = [] }: ScopeRequirement,
  spec: Partial<PodSpec>,
): boolean {
  switch (scopeName) {
    case 'Terminating':
      return (spec.activeDeadlineSeconds ?? -1) >= 0
    case 'NotTerminating':
      return (spec.activeDeadlineSeconds ?? -1) < 0
    case 'BestEffort':
      return isBestEffort(spec)
    case 'NotBestEffort':
      return !isBestEffort(spec)
    case 'PriorityClass':
      return matchesPriorityClass(operator, values, spec.priorityClassName || undefined)
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(spec)
    default:
      return false
  }
}

function matchesPriorityClass(
  operator: string,
  values: readonly string[],
  name: string | undefined,
): boolean {
  const listed = name !== undefined && values.includes(name)
  if (operator === 'In') return listed
  if (operator === 'NotIn') return !listed
  return operator === 'Exists' ? name !== undefined : name === undefined
}

function isBestEffort(spec: Partial<PodSpec>): boolean {
  const asks = (amounts: QuantityTexts) =>
    ['cpu', 'memory'].some((name) => {
      const amount = parseQuantity(amounts?.[name] ?? '')
      return amount !== undefined && isPositive(amount)
    })
  return !containersOf(spec).some(
    ({ resources }: Container) => asks(resources?.requests) || asks(resources?.limits),
  )
}

interface Term {
  readonly namespaces?: readonly string[] | null
  readonly namespaceSelector?: object
}

interface Affinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly Term[] | null
  readonly preferredDuringSchedulingIgnoredDuringExecution?:
    | readonly { readonly podAffinityTerm: Term }[]
    | null
}

function crossesNamespaces({ affinity }: Partial<PodSpec>): boolean {
  const both = [affinity?.podAffinity, affinity?.podAntiAffinity] as readonly (
    | Affinity
    | undefined
  )[]
  const terms = both.flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (each) => each.podAffinityTerm,
    ),
  ])
  return terms.some(
    ({ namespaces, namespaceSelector }) =>
      (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
  )
}
