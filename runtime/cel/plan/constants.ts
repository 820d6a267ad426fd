/**
 * Constants: what is the same in every evaluation is made once, when an expression is compiled, and costs nothing when
 * it is evaluated. Literals of lists and maps are constants if all members are, and so are conversions of constants.
 */
import type { Call, Expr, ListExpr, MapExpr } from '../syntax/ast.ts'
import { mapKeyOf } from '../values/collections.ts'
import { isOfType, typeOf } from '../values/value-type.ts'
import {
  CelError,
  Double,
  type MapEntry,
  MapValue,
  type Result,
  TypeValue,
  type Value,
} from '../values/values.ts'
import { insert } from './literals.ts'
import type { Planner } from './node-planner.ts'

const conversions: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])

/** The value that a node always has; undefined if it has none before it is evaluated. */
export function constantOf(expr: Expr, planner: Planner): Value | undefined {
  switch (expr.is) {
    case 'literal':
      return expr.value
    case 'list':
      return constantList(expr, planner)
    case 'map':
      return constantMap(expr, planner)
    case 'call':
      return expr.name === '@in' ? inNothing(expr, planner) : converted(expr, planner)
    default:
      return undefined
  }
}

function constantList({ items, optional }: ListExpr, planner: Planner): Value | undefined {
  if (optional.some(Boolean)) return undefined
  const values: Value[] = []
  for (const item of items) {
    const value = planner.constant(item)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

/** A map that cannot be made is an error of each evaluation. */
function constantMap({ entries }: MapExpr, planner: Planner): Value | undefined {
  const table = new Map<string | number | bigint | boolean, MapEntry>()
  for (const entry of entries) {
    const [key, value] = [planner.constant(entry.key), planner.constant(entry.value)]
    if (entry.optional || key === undefined || value === undefined) return undefined
    if (insert(table, { key, value }) !== undefined) return undefined
  }
  return new MapValue(table)
}

/** A conversion that fails makes the expression fail. */
function converted({ name, target, args, at, id }: Call, planner: Planner): Value | undefined {
  const [arg] = args
  if (!conversions.has(name) || target !== undefined || arg === undefined) return undefined
  const value = args.length === 1 ? planner.constant(arg) : undefined
  if (value === undefined) return undefined
  if (name === 'type') return new TypeValue(typeOf(value))
  const reference = planner.reference({ id })
  const overloads = reference?.is === 'function' ? reference.overloads : []
  const overload = overloads.find(({ args: [type] }) => type !== undefined && isOfType(type, value))
  const result: Result | undefined = overload?.call(value)
  if (!(result instanceof CelError)) return result
  planner.refuse({ message: result.message, start: at, end: at })
  return undefined
}

/** Nothing is in an empty list. */
function inNothing({ args: [, list] }: Call, planner: Planner): Value | undefined {
  const items = list && planner.constant(list)
  return Array.isArray(items) && items.length === 0 ? false : undefined
}

/**
 * The test whether a value is in a constant list of primitive values, which takes no time to speak of; undefined for
 * any other list.
 */
export function membershipOf(list: Value | undefined): ((value: Value) => boolean) | undefined {
  if (!Array.isArray(list)) return undefined
  const forms = new Set<unknown>()
  for (const item of list as readonly Value[]) {
    const form = formOf(item)
    if (form === undefined) return undefined
    if (!Number.isNaN(form)) forms.add(form)
  }
  return (value) => forms.has(formOf(value) ?? forms)
}

/** Equal primitive values have one form, numbers of all types included. */
function formOf(value: Value): string | number | bigint | boolean | undefined {
  if (value instanceof Double && !Number.isInteger(value.value)) return value.value
  return mapKeyOf(value)
}
