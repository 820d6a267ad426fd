import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ResourceQuotaStatus,
  ScopedResourceSelectorRequirement,
} from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid, required } from '../../../kernel/validation/field-errors.ts'
import { Shown, shownList } from '../../../kernel/validation/go-value.ts'
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
    checkSelector(spec)
    if (object.old === undefined) return
    const [now, before] = [spec.value, spec.old].map((each) =>
      JSON.stringify([...new Set(each?.scopes)].sort()),
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
    const whole = isCounted(name) || isWhole(name, amount.domain)
    if (whole && quantity !== undefined && quantity.nanos % 10n ** 9n !== 0n) {
      amount.invalid('', 'must be an integer')
    }
  })
}

/** Each scope by itself, and with each resource that the platform knows; then those that exclude each other. */
function checkScopes(spec: Field<ResourceQuotaSpec>): void {
  const { hard, scopes: given } = spec.value
  const shown = shownList('core.ResourceQuotaScope', given)
  const fit = misfitsOf(hard)
  for (const scope of (given ?? []).slice(0, mostScopes)) {
    if (!scopes.includes(scope)) spec.invalid('scopes', 'unsupported scope', shown)
    for (const _ of fit(scope)) spec.invalid('scopes', misfit, shown)
  }
  const names = new Set<string>(given)
  if (haveOpposites(names)) spec.invalid('scopes', 'conflicting scopes', shown)
}

const misfit = 'unsupported scope applied to resource'

/** The most scopes of a quota that are looked at: there are six. */
const mostScopes = 100

function haveOpposites(names: ReadonlySet<string>): boolean {
  return opposites.some(([one, other]) => names.has(one) && names.has(other))
}

/** Which of the resources that the platform knows do not go with a scope. A scope for pods without limits restricts them further. */
function misfitsOf(hard: ResourceQuotaSpec['hard'] = {}): (scope: string) => readonly string[] {
  const known = Object.keys(hard).filter(isStandardQuota)
  const [capped, uncapped] = [countsPods, areUncapped].map((fits) =>
    known.filter((name) => !fits(name)).slice(0, mostScopes),
  )
  return (scope) => {
    if (!scopes.includes(scope)) return []
    return (scope === 'BestEffort' ? uncapped : capped) ?? []
  }
}

/** Requirements in their order; errors stand at the list. */
function checkSelector(spec: Field<ResourceQuotaSpec>): void {
  const { hard, scopes: given, scopeSelector } = spec.value
  if (scopeSelector === undefined) return
  const list = spec.path('scopeSelector.matchExpressions')
  const fit = misfitsOf(hard)
  const selector = new Shown(JSON.stringify(scopeSelector))
  const names = new Set<string>()
  for (const each of (scopeSelector.matchExpressions ?? []).slice(0, mostScopes)) {
    spec.report(
      ...checkRequirement(
        list,
        each,
        fit(each.scopeName ?? '').map(() => selector),
      ),
    )
    names.add(each.scopeName ?? '')
  }
  if (!haveOpposites(names)) return
  const shown = shownList('core.ResourceQuotaScope', given)
  spec.report(invalid(list, shown, 'conflicting scopes'))
}

/** Scopes are properties of pods: they fit the resources that pods use. */
function countsPods(name: string): boolean {
  return /^(pods|((requests|limits)\.)?(cpu|memory))$/.test(name)
}

/** Pods without requests and limits can only be counted. */
function areUncapped(name: string): boolean {
  return name === 'pods'
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/**
 * A priority class is the only scope with values to compare; all others are there or not. Errors stand at the list. The
 * messages say `Exist`, without s, as release 1.29 does.
 */
function checkRequirement(
  list: string,
  requirement: Requirement,
  misfits: readonly unknown[],
): readonly FieldError[] {
  const { scopeName = '', operator = '', values } = requirement
  const count = values?.length ?? 0
  const listed = operator === 'In' || operator === 'NotIn'
  const exists = operator === 'Exists' || operator === 'DoesNotExist'
  const errors: FieldError[] = []
  if (!scopes.includes(scopeName)) {
    errors.push(invalid(`${list}.scopeName`, scopeName, 'unsupported scope'))
  }
  errors.push(...misfits.map((selector) => invalid(list, selector, misfit)))
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
