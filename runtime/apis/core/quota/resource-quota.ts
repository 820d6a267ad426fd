/** The rules of ResourceQuota. */
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { invalid, invalidAll, required } from '../../types/field-errors.ts'
import { isCounted, quotaNameProblems } from '../../types/resource-names.ts'
import type { List, Strings } from '../../types/shapes.ts'

interface ScopeRequirement {
  readonly scopeName?: string
  readonly operator?: string
  readonly values?: List<string>
}

interface Spec {
  readonly hard?: Strings
  readonly scopes?: List<string>
  readonly scopeSelector?: { readonly matchExpressions?: List<ScopeRequirement> }
}

/** What the rules and cells of ResourceQuota look at. */
export interface ResourceQuota extends ApiObject {
  readonly spec?: Spec
  readonly status?: { readonly hard?: Strings; readonly used?: Strings }
}

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

/** Caps are on resources that can be counted, and the scopes stay what they were (supplement I-26). */
export const resourceQuota: Strategy = {
  validate(object, old) {
    const { spec = {}, status = {} } = object as ResourceQuota
    return [
      ...checkAmounts('spec.hard', spec.hard),
      ...checkScopes(spec),
      ...checkSelector(spec),
      ...checkAmounts('status.hard', status.hard),
      ...checkAmounts('status.used', status.used),
      ...(old === undefined ? [] : checkScopesKept(spec, (old as ResourceQuota).spec ?? {})),
    ]
  },
}

function checkAmounts(path: string, amounts: Strings | undefined): readonly FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, text]) => {
    const at = `${path}[${name}]`
    const amount = parseQuantity(text)
    const part = isCounted(name) && amount !== undefined && amount.nanos % 10n ** 9n !== 0n
    return [
      ...invalidAll(at, name, quotaNameProblems(name)),
      ...(amount?.negative ? [invalid(at, text, 'must be greater than or equal to 0')] : []),
      ...(part ? [invalid(at, text, 'must be an integer')] : []),
    ]
  })
}

function checkScopes({ hard, scopes: given }: Spec): readonly FieldError[] {
  const path = 'spec.scopes'
  const names = new Set(given ?? [])
  const fits = names.has('BestEffort') ? areUncapped : countsPods
  const podsOnly = Object.keys(hard ?? {}).some((name) => !fits(name))
  const unknown = [...names].some((name) => !scopes.includes(name))
  const torn = opposites.some(([one, other]) => names.has(one) && names.has(other))
  return [
    ...(unknown ? [invalid(path, given, 'unsupported scope')] : []),
    ...(names.size > 0 && podsOnly
      ? [invalid(path, given, 'unsupported scope applied to resource')]
      : []),
    ...(torn ? [invalid(path, given, 'conflicting scopes')] : []),
  ]
}

/** Scopes are properties of pods: they fit the resources that pods use. */
function countsPods(name: string): boolean {
  return /^(pods|count\/pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage))$/.test(name)
}

/** Pods without requests and limits can only be counted. */
function areUncapped(name: string): boolean {
  return name === 'pods' || name === 'count/pods'
}

function checkSelector({ scopeSelector }: Spec): readonly FieldError[] {
  return (scopeSelector?.matchExpressions ?? []).flatMap((requirement, index) =>
    checkRequirement(`spec.scopeSelector.matchExpressions[${index}]`, requirement),
  )
}

function checkRequirement(
  path: string,
  { scopeName = '', operator = '', values }: ScopeRequirement,
): readonly FieldError[] {
  const count = values?.length ?? 0
  const listed = operator === 'In' || operator === 'NotIn'
  const plain = scopeName !== 'PriorityClass' && operator !== 'Exists'
  const known = scopes.includes(scopeName)
  const some = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
  const none = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
  return [
    ...(known ? [] : [invalid(`${path}.scopeName`, scopeName, 'unsupported scope')]),
    ...(known && plain
      ? [
          invalid(
            `${path}.operator`,
            operator,
            `must be 'Exist' when scope is any of ${scopes.filter((name) => name !== 'PriorityClass').join(', ')}`,
          ),
        ]
      : []),
    ...(listed && count === 0 ? [required(`${path}.values`, some)] : []),
    ...(!listed && count > 0 ? [invalid(`${path}.values`, values, none)] : []),
  ]
}

function checkScopesKept(spec: Spec, old: Spec): readonly FieldError[] {
  const [now, before] = [spec, old].map((each) => [...new Set(each.scopes ?? [])].sort().join())
  return now === before ? [] : [invalid('spec.scopes', spec.scopes, 'field is immutable')]
}
