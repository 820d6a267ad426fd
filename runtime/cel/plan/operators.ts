/**
 * Code of operators that do not evaluate all operands first, and of those so frequent that their common case is
 * inlined.
 */
import { traversal } from '../functions/functions.ts'
import { comparisonCost, sizeOf } from '../standard/comparison.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { codePoints } from '../syntax/source.ts'
import { equals } from '../values/equality.ts'
import { addInts, subtractInts } from '../values/numbers.ts'
import { typeOf } from '../values/value-type.ts'
import { CelError, fail, Optional, type Result, TypeValue } from '../values/values.ts'
import { type CallTarget, dispatch2, failed, targetsOf } from './calls.ts'
import { membershipOf } from './constants.ts'
import type { Code, Frame } from './frame.ts'
import type { Planner } from './node-planner.ts'

/** The code of an operator that has code of its own; undefined for every other call. */
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
    case '@in':
      return membershipCode(expr, planner)
    case 'type':
      return typeCode(planner.code(expr.args[0] as Expr))
    case 'or':
    case 'orValue':
      return alternativeCode(expr, planner)
  }
  return numericCode(expr, planner)
}

/** The code of `in` over a constant list of primitive values, which costs nothing. */
function membershipCode({ args }: Call, planner: Planner): Code | undefined {
  const [value, list] = args as [Expr, Expr]
  const holds = membershipOf(planner.constant(list))
  if (holds === undefined) return undefined
  const code = planner.code(value)
  return (frame) => {
    const found = code(frame)
    return found instanceof CelError ? found : holds(found)
  }
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

/** The result of a logical operator when neither operand decides it: the first error. */
function undecided(a: Result, b: Result): Result {
  if (a instanceof CelError) return a
  if (b instanceof CelError) return b
  return fail('no such overload')
}

/** Unlike `&&` and `||`, which cost nothing, it is charged as a call. */
function notCode(operand: Code): Code {
  return (frame) => {
    const value = operand(frame)
    frame.left -= 1
    if (value instanceof CelError) return value
    return typeof value === 'boolean' ? !value : fail('no such overload')
  }
}

function equalityCode(expr: Call, planner: Planner, wanted: boolean): Code {
  const [left, right] = expr.args as [Expr, Expr]
  const literal = planner.constant(right)
  if (typeof literal === 'string') return sameTextCode(planner.code(left), literal, wanted)
  return wanted
    ? sameCode(planner.code(left), planner.code(right))
    : differentCode(planner.code(left), planner.code(right))
}

/** Comparison with a string literal, whose size is counted once. */
function sameTextCode(left: Code, text: string, wanted: boolean): Code {
  const size = codePoints(text)
  return (frame) => {
    const value = left(frame)
    if (typeof value === 'string') {
      frame.left -=
        value.length > 10 ? traversal(Math.min(codePoints(value), size)) : short(value, size)
      return (value === text) === wanted
    }
    frame.left -= Math.min(traversal(size), 1)
    if (value instanceof CelError) return value
    return equals(value, text) === wanted
  }
}

/** The cost of comparing a string of at most ten UTF-16 units with one of `size` code points. */
function short(value: string, size: number): number {
  return value.length === 0 || size === 0 ? 0 : 1
}

function sameCode(left: Code, right: Code): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a === 'number' && typeof b === 'number') {
      frame.left -= 1
      return a === b
    }
    return compared(frame, a, b)
  }
}

function differentCode(left: Code, right: Code): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a === 'number' && typeof b === 'number') {
      frame.left -= 1
      return a !== b
    }
    const same = compared(frame, a, b)
    return typeof same === 'boolean' ? !same : same
  }
}

/**
 * Strings are compared at once; for values of every other type the cost is that of the smaller
 * one.
 */
function compared(frame: Frame, a: Result, b: Result): boolean | CelError {
  if (typeof a === 'string' && typeof b === 'string') {
    frame.charge(a.length > 10 && b.length > 10 ? comparisonCost(a, b) : short(a, b.length))
    return a === b
  }
  if (a instanceof CelError || b instanceof CelError) {
    frame.left -= Math.min(traversal(sizeOfResult(a)), traversal(sizeOfResult(b)))
    return a instanceof CelError ? a : (b as CelError)
  }
  frame.charge(comparisonCost(a, b))
  return equals(a, b)
}

/** An error counts as a value of size 1. */
function sizeOfResult(value: Result): number {
  return value instanceof CelError ? 1 : sizeOf(value)
}

/**
 * The type at run time, which may be narrower than the checked one: that of `dyn` is never `dyn`.
 */
function typeCode(operand: Code): Code {
  return (frame) => {
    const value = operand(frame)
    frame.left -= 1
    if (value instanceof CelError) return value
    return new TypeValue(typeOf(value))
  }
}

/** `a.or(b)` and `a.orValue(b)`: `b` is evaluated only if `a` is empty. */
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
    if (value.value !== undefined) return unwrap ? value.value : value
    const other = second(frame)
    if (unwrap || other instanceof Optional || other instanceof CelError) return other
    return fail('no such overload')
  }
}

/**
 * Operators whose operands are mostly small ints. Each has a function of its own, which keeps its call site
 * monomorphic: folding them into one makes them measurably slower.
 */
const numericCodes: ReadonlyMap<string, (left: Code, right: Code, rest: Rest) => Code> = new Map([
  ['_<_', lessCode],
  ['_<=_', lessEqualCode],
  ['_>_', greaterCode],
  ['_>=_', greaterEqualCode],
  ['_+_', addCode],
  ['_-_', subtractCode],
])

/** What an operator does unless both operands are small ints. */
type Rest = (frame: Frame, a: Result, b: Result) => Result

function lessCode(left: Code, right: Code, rest: Rest): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a !== 'number' || typeof b !== 'number') return rest(frame, a, b)
    frame.left -= 1
    return a < b
  }
}

function lessEqualCode(left: Code, right: Code, rest: Rest): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a !== 'number' || typeof b !== 'number') return rest(frame, a, b)
    frame.left -= 1
    return a <= b
  }
}

function greaterCode(left: Code, right: Code, rest: Rest): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a !== 'number' || typeof b !== 'number') return rest(frame, a, b)
    frame.left -= 1
    return a > b
  }
}

function greaterEqualCode(left: Code, right: Code, rest: Rest): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a !== 'number' || typeof b !== 'number') return rest(frame, a, b)
    frame.left -= 1
    return a >= b
  }
}

function addCode(left: Code, right: Code, rest: Rest): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a !== 'number' || typeof b !== 'number') return rest(frame, a, b)
    frame.left -= 1
    return addInts(a, b)
  }
}

function subtractCode(left: Code, right: Code, rest: Rest): Code {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a !== 'number' || typeof b !== 'number') return rest(frame, a, b)
    frame.left -= 1
    return subtractInts(a, b)
  }
}

/** The overloads are those that checking left; without checking, all of the operator. */
function numericCode(expr: Call, planner: Planner): Code | undefined {
  const make = numericCodes.get(expr.name)
  if (make === undefined) return undefined
  const [left, right] = expr.args.map(planner.code) as [Code, Code]
  const reference = planner.reference(expr)
  const overloads = targetsOf(reference?.is === 'function' ? reference.overloads : [], [])
  return make(left, right, (frame, a, b) => otherwise(frame, overloads, a, b))
}

/** The call through the overloads, after the errors of operands. */
function otherwise(frame: Frame, overloads: readonly CallTarget[], a: Result, b: Result): Result {
  if (a instanceof CelError || b instanceof CelError) return failed(frame, overloads, [a, b])
  return dispatch2(frame, overloads, a, b)
}
