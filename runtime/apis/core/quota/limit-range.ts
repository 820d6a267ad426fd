/** The rules of LimitRange. */

import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { flagDuplicates } from '../../../kernel/values/duplicates.ts'
import { compareQuantities, parseQuantity } from '../../../kernel/values/quantity.ts'
import { change, changeAll } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { duplicate, forbidden, invalid, invalidAll, required } from '../../types/field-errors.ts'
import { limitNameProblems } from '../../types/resource-names.ts'
import type { List, Strings } from '../../types/shapes.ts'

const tables = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

type Table = (typeof tables)[number]
type Item = { readonly [K in Table]?: Strings } & { readonly type?: string }

interface LimitRange extends ApiObject {
  readonly spec?: { readonly limits?: List<Item> }
}

/** Bounds do not contradict each other; a container's defaults follow from them where they are not given. */
export const limitRange: Strategy = {
  defaults(object) {
    const { spec } = object as LimitRange
    if (spec === undefined) return object
    const limits = changeAll(spec.limits, withDefaults)
    return change(object as LimitRange, { spec: change(spec, { limits }) })
  },
  validate(object) {
    const limits = (object as LimitRange).spec?.limits ?? []
    const again = flagDuplicates(limits.map(({ type }) => type))
    return limits.flatMap((item, index) => {
      const path = `spec.limits[${index}]`
      return [
        ...(again[index] ? [duplicate(`${path}.type`, item.type)] : []),
        ...checkType(path, item),
        ...checkNames(path, item),
        ...namesOf(item).flatMap((name) => checkOrder(path, name, item)),
      ]
    })
  },
}

/** A limit defaults to the most there is; a request to the limit, or else to the least. */
function withDefaults(item: Item): Item {
  if (item.type !== 'Container') return item
  const limits = { ...item.max, ...item.default }
  const requests = { ...item.min, ...limits, ...item.defaultRequest }
  return change(item, {
    default: Object.keys(limits).length === 0 ? item.default : limits,
    defaultRequest: Object.keys(requests).length === 0 ? item.defaultRequest : requests,
  })
}

function checkType(path: string, item: Item): readonly FieldError[] {
  const { type = '' } = item
  const malformed = invalidAll(`${path}.type`, type, typeProblems(type))
  if (type === 'Pod') {
    const why = "may not be specified when `type` is 'Pod'"
    const given = (['default', 'defaultRequest'] as const).filter((table) => item[table])
    return [...malformed, ...given.map((table) => forbidden(`${path}.${table}`, why))]
  }
  if (type !== 'PersistentVolumeClaim') return malformed
  const bounded = [item.min, item.max].some((table) => amount(table, 'storage') !== undefined)
  const why = 'either minimum or maximum storage value is required, but neither was provided'
  return [...malformed, ...(bounded ? [] : [required(`${path}.limits`, why)])]
}

const types = ['Pod', 'Container', 'PersistentVolumeClaim']

function typeProblems(type: string): readonly string[] {
  const malformed = qualifiedNameProblems(type)
  if (malformed.length > 0 || type.includes('/') || types.includes(type)) return malformed
  return ['must be a standard limit type or fully qualified']
}

function checkNames(path: string, item: Item): readonly FieldError[] {
  return tables.flatMap((table) =>
    Object.keys(item[table] ?? {}).flatMap((name) =>
      invalidAll(`${path}.${table}[${name}]`, name, limitNameProblems(name)),
    ),
  )
}

function namesOf(item: Item): readonly string[] {
  return [...new Set(tables.flatMap((table) => Object.keys(item[table] ?? {})))].sort()
}

/** The pairs of bounds of which the first is never more than the second, and how both are called. */
const order: readonly (readonly [low: Table, high: Table, at: Table, text: string])[] = [
  ['min', 'max', 'min', 'min value LOW is greater than max value HIGH'],
  [
    'min',
    'defaultRequest',
    'defaultRequest',
    'min value LOW is greater than default request value HIGH',
  ],
  [
    'defaultRequest',
    'max',
    'defaultRequest',
    'default request value LOW is greater than max value HIGH',
  ],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'default request value LOW is greater than default limit value HIGH',
  ],
  ['min', 'default', 'default', 'min value LOW is greater than default value HIGH'],
  ['default', 'max', 'default', 'default value LOW is greater than max value HIGH'],
]

function checkOrder(path: string, name: string, item: Item): readonly FieldError[] {
  const wrong = order.flatMap(([low, high, at, text]) => {
    const [least, most] = [amount(item[low], name), amount(item[high], name)]
    if (least === undefined || most === undefined || compareQuantities(least, most) <= 0) return []
    const why = text
      .replace('LOW', () => item[low]?.[name] ?? '')
      .replace('HIGH', () => item[high]?.[name] ?? '')
    return [invalid(`${path}.${at}[${name}]`, item[at]?.[name], why)]
  })
  return [...wrong, ...checkRatio(`${path}.maxLimitRequestRatio[${name}]`, name, item)]
}

function checkRatio(path: string, name: string, item: Item): readonly FieldError[] {
  const text = item.maxLimitRequestRatio?.[name]
  const [ratio, one] = [amount(item.maxLimitRequestRatio, name), parseQuantity('1')]
  if (ratio === undefined || one === undefined) return []
  if (compareQuantities(ratio, one) < 0) {
    return [invalid(path, text, `ratio ${text} is less than 1`)]
  }
  const [least, most] = [amount(item.min, name), amount(item.max, name)]
  if (least === undefined || most === undefined || least.nanos === 0n) return []
  const widest = Number(most.nanos) / Number(least.nanos)
  if (Number(ratio.nanos) / Number(one.nanos) <= widest) return []
  const why = `ratio ${text} is greater than max/min = ${widest.toFixed(6)}`
  return [invalid(path, text, why)]
}

function amount(table: Strings | undefined, name: string) {
  if (table === undefined || !Object.hasOwn(table, name)) return undefined
  return parseQuantity(table[name] ?? '')
}
