import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ResourceQuotaStatus,
  ScopedResourceSelectorRequirement,
} from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid, required } from '../../../kernel/validation/field-errors.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import {
  isCounted,
  isStandardQuota,
  isWhole,
  quotaNameProblems,
  shownName,
} from '../../types/resource-names.ts'

type Requirement = Loose<ScopedResourceSelectorRequirement>

const scopes = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
]
/** Scopes without values, and those of them that a message names. */
const thereOrNot = scopes.filter((name) => name !== 'PriorityClass')
const told = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort']
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
    const list = spec.path('scopeSelector.matchExpressions')
    for (const each of spec.value.scopeSelector?.matchExpressions ?? []) {
      spec.report(...checkRequirement(list, each))
    }
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
    amount.invalidAll('', quotaNameProblems(name), shownName(name))
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

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/**
 * A priority class is the only scope with values to compare; all others are there or not. Errors stand at the list. The
 * messages say `Exist`, without s, as release 1.29 does.
 */
function checkRequirement(list: string, requirement: Requirement): readonly FieldError[] {
  const { scopeName = '', operator = '', values } = requirement
  const count = values?.length ?? 0
  const listed = operator === 'In' || operator === 'NotIn'
  const exists = operator === 'Exists' || operator === 'DoesNotExist'
  const errors: FieldError[] = []
  if (!scopes.includes(scopeName)) {
    errors.push(invalid(`${list}.scopeName`, scopeName, 'unsupported scope'))
  }
  if (thereOrNot.includes(scopeName) && operator !== 'Exists') {
    const others = told.map((name) => `ResourceQuotaScope${name}`).join(', ')
    const why = `must be 'Exist' when scope is any of ${others} or ResourceQuotaScopeCrossNamespacePodAffinity`
    errors.push(invalid(`${list}.operator`, operator, why))
  }
  if (listed && count === 0) {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    errors.push(required(`${list}.values`, why))
  } else if (exists && count > 0) {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    errors.push(invalid(`${list}.values`, values, why))
  }
  if (!operators.includes(operator)) {
    errors.push(invalid(`${list}.operator`, operator, 'not a valid selector operator'))
  }
  return errors
}
