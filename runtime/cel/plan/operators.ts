import type { Call, Expr } from '../ast.ts'
import { typeOf } from '../dispatch.ts'
import { equals } from '../equality.ts'
import type { Overload } from '../library.ts'
import { addInts, subtractInts } from '../numbers.ts'
import { comparisonCost } from '../standard/comparison.ts'
import { CelError, fail, Optional, type Result, TypeValue, type Value } from '../values.ts'
import { dispatch } from './calls.ts'
import type { Code, Frame } from './frame.ts'
import type { Planner } from './planner.ts'

/** The code of calls that are not strict, or so frequent that their common case stands here; undefined for others. */
export function operatorCode(expr: Call, planner: Planner): Code | undefined {
  const { name } = expr
  switch (name) {
    case '_&&_':
    case '_||_':
      return logicalCode(expr.args.map(planner.code), name === '_||_')
    case '!_':
      return notCode(planner.code(expr.args[0] as Expr))
    case '_==_':
    case '_!=_':
      return equalityCode(expr, planner, name === '_==_')
    case 'type':
      return typeCode(planner.code(expr.args[0] as Expr))
    case 'or':
    case 'orValue':
      return alternativeCode(expr, planner)
  }
  const quick = quickNumbers.get(name)
  return quick === undefined ? undefined : numericCode(expr, planner, quick)
}

/** `||` with `decisive` true, `&&` with false. A decisive operand wins over errors of others. */
function logicalCode(operands: readonly Code[], decisive: boolean): Code {
  const [left, right] = operands
  if (operands.length === 2 && left !== undefined && right !== undefined) {
    return (frame) => {
      const a = left(frame)
      if (a === decisive) return decisive
      const b = right(frame)
      if (b === decisive) return decisive
      if (a === !decisive && b === !decisive) return b
      return undecided(a, b)
    }
  }
  return (frame) => {
    let result: Result = !decisive
    for (const operand of operands) {
      const value = operand(frame)
      if (value === decisive) return decisive
      if (value !== !decisive || typeof result !== 'boolean') result = undecided(result, value)
    }
    return result
  }
}

function undecided(a: Result, b: Result): Result {
  if (a instanceof CelError) return a
  if (b instanceof CelError) return b
  return fail('no such overload')
}

function notCode(operand: Code): Code {
  return (frame) => {
    const value = operand(frame)
    if (value instanceof CelError) return value
    frame.left -= 1
    return typeof value === 'boolean' ? !value : fail('no such overload')
  }
}

function equalityCode(expr: Call, planner: Planner, wanted: boolean): Code {
  const [left, right] = expr.args.map(planner.code) as [Code, Code]
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a === 'number' && typeof b === 'number') {
      frame.left -= 1
      return (a === b) === wanted
    }
    if (a instanceof CelError) return a
    if (b instanceof CelError) return b
    frame.charge(comparisonCost(a, b))
    return equals(a, b) === wanted
  }
}

function typeCode(operand: Code): Code {
  return (frame) => {
    const value = operand(frame)
    if (value instanceof CelError) return value
    frame.left -= 1
    return new TypeValue(typeOf(value))
  }
}

/** `a.or(b)`, `a.orValue(b)`: the second is evaluated only if the first is none. */
function alternativeCode(expr: Call, planner: Planner): Code | undefined {
  const { target, args } = expr
  if (target === undefined || args.length !== 1) return undefined
  const first = planner.code(target)
  const second = planner.code(args[0] as Expr)
  const unwrap = expr.name === 'orValue'
  return (frame) => {
    const value = first(frame)
    if (value instanceof CelError) return value
    if (!(value instanceof Optional)) return fail('no such overload')
    frame.left -= 1
    if (value.value !== undefined) return unwrap ? value.value : value
    const other = second(frame)
    if (unwrap || other instanceof Optional || other instanceof CelError) return other
    return fail('no such overload')
  }
}

type Quick = (a: number, b: number) => Result

const quickNumbers: ReadonlyMap<string, Quick> = new Map<string, Quick>([
  ['_<_', (a, b) => a < b],
  ['_<=_', (a, b) => a <= b],
  ['_>_', (a, b) => a > b],
  ['_>=_', (a, b) => a >= b],
  ['_+_', addInts],
  ['_-_', subtractInts],
])

/** An operator on two numbers, with the way to its overloads for anything else. */
function numericCode(expr: Call, planner: Planner, quick: Quick): Code {
  const [left, right] = expr.args.map(planner.code) as [Code, Code]
  const reference = planner.reference(expr)
  const overloads: readonly Overload[] = reference?.is === 'function' ? reference.overloads : []
  return (frame: Frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a === 'number' && typeof b === 'number') {
      frame.left -= 1
      return quick(a, b)
    }
    return otherwise(frame, overloads, a, b)
  }
}

function otherwise(frame: Frame, overloads: readonly Overload[], a: Result, b: Result): Result {
  if (a instanceof CelError) return a
  if (b instanceof CelError) return b
  const args: readonly Value[] = [a, b]
  return dispatch(frame, overloads, args)
}
