import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ResourceQuotaStatus,
  ScopedResourceSelectorRequirement,
} from '../../../../generated/apis/core/v1/resource-quota.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import {
  isCounted,
  isStandardQuota,
  isWhole,
  quotaNameProblems,
} from '../../types/resource-names.ts'

const scopes = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
]
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

/**
 * Limits are on resources that can be counted, and the scopes stay what they were (supplement
 * I-26).
 * Errors in the order hard, scopes, selector, change of scopes. Scopes are a set: their
 * order and repetitions are no change.
 */
export const resourceQuota: Strategy<ResourceQuota> = {
  check(object) {
    const spec = object.child('spec')
    checkAmounts(spec, 'hard')
    checkScopes(spec)
    spec.child('scopeSelector').each('matchExpressions', checkRequirement)
    if (object.old === undefined) return
    const [now, before] = [spec.value, spec.old].map((each) =>
      [...new Set(each?.scopes)].sort().join(),
    )
    if (now !== before) spec.invalid('scopes', 'field is immutable')
  },
  checkStatus(object) {
    const status = object.child('status')
    checkAmounts(status, 'hard')
    checkAmounts(status, 'used')
  },
}

/**
 * Name, sign and, for numbers of objects, that the amount is whole. The errors stand at the entry.
 */
function checkAmounts(field: Field<ResourceQuotaSpec & ResourceQuotaStatus>, key: 'hard' | 'used') {
  field.each(key, (amount, _, name) => {
    amount.invalidAll('', quotaNameProblems(name), name)
    const quantity = parseQuantity(amount.value)
    if (quantity?.negative) amount.invalid('', 'must be greater than or equal to 0')
    const whole = isCounted(name) || isWhole(name)
    if (whole && quantity !== undefined && quantity.nanos % 10n ** 9n !== 0n) {
      amount.invalid('', 'must be an integer')
    }
  })
}

/**
 * At most one error of each sort, however many scopes are to blame. A scope for pods without limits
 * restricts the resources further than the others do.
 */
function checkScopes(spec: Field<ResourceQuotaSpec>): void {
  const { hard, scopes: given } = spec.value
  const names = new Set<string>(given)
  const fits = names.has('BestEffort') ? areUncapped : countsPods
  if ([...names].some((name) => !scopes.includes(name))) {
    spec.invalid('scopes', 'unsupported scope')
  }
  if (
    names.size > 0 &&
    Object.keys(hard ?? {}).some((name) => isStandardQuota(name) && !fits(name))
  ) {
    spec.invalid('scopes', 'unsupported scope applied to resource')
  }
  if (opposites.some(([one, other]) => names.has(one) && names.has(other))) {
    spec.invalid('scopes', 'conflicting scopes')
  }
}

/** Scopes are properties of pods: they fit the resources that pods use. */
function countsPods(name: string): boolean {
  return /^(pods|count\/pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage))$/.test(name)
}

/** Pods without requests and limits can only be counted. */
function areUncapped(name: string): boolean {
  return name === 'pods' || name === 'count/pods'
}

/**
 * A priority class is the only scope with values to compare; all others are there or not. The
 * messages say `Exist`, without s, as release 1.29 does.
 */
const checkRequirement: Check<ScopedResourceSelectorRequirement> = (requirement) => {
  const { scopeName = '', operator = '', values } = requirement.value
  const count = values?.length ?? 0
  const listed = operator === 'In' || operator === 'NotIn'
  if (!scopes.includes(scopeName)) {
    requirement.invalid('scopeName', 'unsupported scope', scopeName)
  } else if (scopeName !== 'PriorityClass' && operator !== 'Exists') {
    const others = scopes.filter((name) => name !== 'PriorityClass').join(', ')
    requirement.invalid('operator', `must be 'Exist' when scope is any of ${others}`, operator)
  }
  if (listed && count === 0) {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    requirement.required('values', why)
  } else if (!listed && count > 0) {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    requirement.invalid('values', why)
  }
}
