import type { LimitRange, LimitRangeItem } from '../../../../generated/apis/core/v1/limit-range.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import { required } from '../../../kernel/validation/field-errors.ts'
import { change, changeAll } from '../../../kernel/values/change.ts'
import { compareQuantities, parseQuantity, type Quantity } from '../../../kernel/values/quantity.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import {
  containerNameProblems,
  isOvercommitted,
  limitNameProblems,
  shownName,
} from '../../types/resource-names.ts'

const tables = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

type Table = (typeof tables)[number]

/**
 * Bounds do not contradict each other; a container's defaults follow from them where they are not
 * given.
 * Errors come limit by limit: type, names of resources table by table, and then, by the names in
 * alphabetical order, bounds before ratios (supplement I-26).
 */
export const limitRange: Strategy<LimitRange> = {
  defaults(object) {
    const { spec } = object
    if (spec === undefined) return object
    return change(object, { spec: change(spec, { limits: changeAll(spec.limits, withDefaults) }) })
  },
  check(object) {
    const types = new Set<string>()
    object.child('spec').each('limits', (item) => {
      const { type = '' } = item.value
      item.invalidAll('type', typeProblems(type), type)
      item.distinct('type', types)
      checkNames(item, ['max', 'min'])
      const judged = type === 'Pod' ? withoutDefaults(item) : item
      checkNames(judged, ['default', 'defaultRequest'])
      if (type === 'PersistentVolumeClaim') checkStorage(item)
      checkNames(judged, ['maxLimitRequestRatio'])
      const names = new Set(tables.flatMap((table) => Object.keys(judged.value[table] ?? {})))
      item.afterwards(() => {
        for (const name of [...names].sort()) {
          checkOrder(judged, name)
          checkRatio(judged, name)
          checkEqual(judged, name)
        }
      })
    })
  },
}

/**
 * A limit defaults to the most there is; a request to the limit, or else to the least.
 * Only for containers; other types have no defaults to apply.
 */
function withDefaults(item: Loose<LimitRangeItem>): Loose<LimitRangeItem> {
  if (item.type !== 'Container') return item
  const limits = { ...item.max, ...item.default }
  const requests = { ...item.min, ...limits, ...item.defaultRequest }
  return change(item, {
    default: Object.keys(limits).length === 0 ? item.default : limits,
    defaultRequest: Object.keys(requests).length === 0 ? item.defaultRequest : requests,
  })
}

/** Pods have no defaults, because their requests are the sums of their containers; those that are given are not looked at. */
function withoutDefaults(item: Field<LimitRangeItem>): Field<LimitRangeItem> {
  const { default: limits, defaultRequest: requests, ...judged } = item.value
  for (const [table, given] of [
    ['default', limits],
    ['defaultRequest', requests],
  ] as const) {
    if (given) item.forbidden(table, "may not be specified when `type` is 'Pod'")
  }
  return item.with(judged)
}

/** The names of resources. */
function checkNames(item: Field<LimitRangeItem>, named: readonly Table[]): void {
  const { type } = item.value
  const contained = type === 'Pod' || type === 'Container'
  const problemsOf = contained ? containerNameProblems : limitNameProblems
  for (const table of named) {
    item.each(table, (one, _, name) => {
      one.invalidAll('', problemsOf(name, one.domain), shownName(name))
    })
  }
}

/**
 * A claim is limited by its size, so a bound on storage has to be there; that error stands at the field `limits` of the
 * item, which does not exist, as in release 1.29.
 */
function checkStorage(item: Field<LimitRangeItem>): void {
  const { min, max } = item.value
  if ([min, max].some((table) => amount(table, 'storage') !== undefined)) return
  const why = 'either minimum or maximum storage value is required, but neither was provided'
  item.report(required(item.path('limits'), why))
}

const types = ['Pod', 'Container', 'PersistentVolumeClaim']

function typeProblems(type: string): readonly string[] {
  const malformed = qualifiedNameProblems(type)
  if (malformed.length > 0 || type.includes('/') || types.includes(type)) return malformed
  return ['must be a standard limit type or fully qualified']
}

/** The pairs of bounds of which the first is never more than the second, and how both are called. */
const order: readonly (readonly [low: Table, high: Table, at: Table, names: string])[] = [
  ['min', 'max', 'min', 'min|max'],
  ['min', 'defaultRequest', 'defaultRequest', 'min|default request'],
  ['defaultRequest', 'max', 'defaultRequest', 'default request|max'],
  ['defaultRequest', 'default', 'defaultRequest', 'default request|default limit'],
  ['min', 'default', 'default', 'min|default'],
  ['default', 'max', 'default', 'default|max'],
]

/**
 * An absent bound is not compared. The error stands at the table that `at` names and shows its
 * value.
 */
function checkOrder(item: Field<LimitRangeItem>, name: string): void {
  for (const [low, high, at, names] of order) {
    const [lowTable, highTable] = [item.value[low], item.value[high]]
    const [least, most] = [amount(lowTable, name), amount(highTable, name)]
    if (least === undefined || most === undefined || compareQuantities(least, most) <= 0) continue
    const [lowName, highName] = names.split('|')
    const [from, to] = [lowTable?.[name], highTable?.[name]]
    const why = `${lowName} value ${from} is greater than ${highName} value ${to}`
    item.invalid(`${at}[${name}]`, why, item.value[at]?.[name])
  }
}

/**
 * A ratio is at least 1, and not wider than max and min together allow, since it could never be reached. Of a min of zero that
 * is anything, unless the max is zero, too.
 */
function checkRatio(item: Field<LimitRangeItem>, name: string) {
  const { maxLimitRequestRatio: ratios, min, max } = item.value
  const [ratio, one] = [amount(ratios, name), parseQuantity('1')]
  if (ratio === undefined || one === undefined) return
  const text = ratios?.[name]
  const invalid = (why: string) => item.invalid(`maxLimitRequestRatio[${name}]`, why, text)
  if (compareQuantities(ratio, one) < 0) invalid(`ratio ${text} is less than 1`)
  const [least, most] = [amount(min, name), amount(max, name)]
  if (least === undefined || most === undefined) return
  const widest = signed(most) / signed(least)
  if (signed(ratio) / signed(one) <= widest || Number.isNaN(widest)) return
  const shown = Number.isFinite(widest) ? widest.toFixed(6) : '-Inf'
  invalid(`ratio ${text} is greater than max/min = ${shown}`)
}

function signed({ nanos, negative }: Quantity): number {
  return negative ? -Number(nanos) : Number(nanos)
}

/** Of what is never promised twice a container gets as much as it asks for. */
function checkEqual(item: Field<LimitRangeItem>, name: string): void {
  if (isOvercommitted(name, item.domain)) return
  const { default: limits, defaultRequest: requests } = item.value
  const [limit, request] = [amount(limits, name), amount(requests, name)]
  if (limit === undefined || request === undefined) return
  if (compareQuantities(limit, request) === 0) return
  const [given, asked] = [limits?.[name], requests?.[name]]
  const why = `default value ${given} must equal to defaultRequest value ${asked} in ${name}`
  item.invalid(`defaultRequest[${name}]`, why, asked)
}

/** Undefined if the table has no such resource or its text is no quantity. */
function amount(table: Readonly<Record<string, string>> | undefined, name: string) {
  if (table === undefined || !Object.hasOwn(table, name)) return undefined
  return parseQuantity(table[name] ?? '')
}
