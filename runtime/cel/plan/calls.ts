/** Code of function calls: the overload is chosen by the types of the argument values. */
import type { Overload } from '../functions/functions.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { dynType, type Type } from '../types/types.ts'
import { isOfType, noSuchOverload } from '../values/value-type.ts'
import { CelError, fail, type Result, type Value } from '../values/values.ts'
import type { Code, Frame } from './frame.ts'
import type { Planner } from './node-planner.ts'

/** An overload prepared for calling. All targets have one shape, which keeps the call sites fast. */
export interface CallTarget {
  readonly args: readonly Type[]
  /** The types of the first two arguments, `dyn` where there are fewer. */
  readonly first: Type
  readonly second: Type
  readonly call: Overload['call']
  readonly cost: Overload['cost']
  readonly resultCost: Overload['resultCost']
  /** Some arguments are constant, and the overload made a faster call for them. */
  readonly prepared: boolean
}

/** The targets of overloads. Where arguments are constants, an overload may provide a faster call (`prepare`). */
export function targetsOf(
  overloads: readonly Overload[],
  constants: readonly (Value | undefined)[],
): readonly CallTarget[] {
  const any = constants.some((value) => value !== undefined)
  return overloads.map((overload) => {
    const { args, resultCost, narrow } = overload
    const prepared = any ? overload.prepare?.(constants) : undefined
    const { call, cost: price } = prepared ?? overload
    const cost = narrow === true && overloads.length > 1 ? undefined : price
    const [first = dynType, second = dynType] = args
    return { args, first, second, call, cost, resultCost, prepared: prepared !== undefined }
  })
}

function ofSizeOne(kind: Type['kind']): Value {
  switch (kind) {
    case 'string':
      return '1'
    case 'bytes':
      return new Uint8Array(1)
    case 'list':
      return [0]
    case 'map':
      return { 1: 0 }
    default:
      return 0
  }
}

/**
 * The code of a call. The overload is chosen again at run time, because the checked types promise nothing about values:
 * a list of strings joined with a dynamic list is still typed as a list of strings.
 */
export function callCode(expr: Call, planner: Planner): Code {
  const reference = planner.reference(expr)
  if (reference?.is !== 'function') return () => fail(`unbound function: ${expr.name}`)
  const args = argumentsOf(expr, reference.member)
  const overloads = reference.overloads.filter((overload) => overload.args.length === args.length)
  const constants = args.map(planner.constant)
  const problem = overloads.length === 1 ? overloads[0]?.validate?.(constants) : undefined
  if (problem !== undefined) planner.refuse({ message: problem, start: expr.at, end: expr.end })
  const targets = targetsOf(overloads, constants)
  const codes = args.map((arg) => planner.code(arg))
  const [first, second] = codes
  if (codes.length === 1 && first !== undefined) return call1(targets, first)
  if (codes.length === 2 && first !== undefined && second !== undefined) {
    return call2(targets, first, second)
  }
  return callMany(targets, codes)
}

/** The arguments of a call, its target first if it is one. */
export function argumentsOf(expr: Call, member: boolean): readonly Expr[] {
  return member && expr.target !== undefined ? [expr.target, ...expr.args] : expr.args
}

/** One argument. A single overload on a string, the most frequent case, is tried first. */
function call1(overloads: readonly CallTarget[], first: Code): Code {
  const [only] = overloads
  const text = overloads.length === 1 && only?.first.kind === 'string' ? only : undefined
  return (frame) => {
    const a = first(frame)
    if (text !== undefined && typeof a === 'string') return apply1(frame, text, a)
    if (a instanceof CelError) return failed(frame, overloads, [a])
    for (let index = 0; index < overloads.length; index++) {
      const overload = overloads[index] as CallTarget
      if (isOfType(overload.first, a)) return apply1(frame, overload, a)
    }
    return noSuchOverload()
  }
}

/**
 * A cost of 1 is subtracted; any other is charged, because the work that it stands for comes
 * next.
 */
function apply1(frame: Frame, overload: CallTarget, a: Value): Result {
  const { cost, resultCost } = overload
  if (cost === undefined) frame.left -= 1
  else frame.charge(cost(a))
  const result = overload.call(a)
  return resultCost === undefined ? result : charged(frame, resultCost, result)
}

/** Two arguments. A single overload on two strings has code of its own. */
function call2(overloads: readonly CallTarget[], first: Code, second: Code): Code {
  const [only] = overloads
  const texts = only?.first.kind === 'string' && only.second.kind === 'string'
  if (overloads.length === 1 && only !== undefined && texts) return textCall(only, first, second)
  return (frame) => {
    const a = first(frame)
    const b = second(frame)
    if (a instanceof CelError || b instanceof CelError) return failed(frame, overloads, [a, b])
    return dispatch2(frame, overloads, a, b)
  }
}

/** A call of the only overload, which takes two strings: most functions that run for each item of a list. */
function textCall(overload: CallTarget, first: Code, second: Code): Code {
  const overloads = [overload]
  return (frame) => {
    const a = first(frame)
    const b = second(frame)
    if (typeof a === 'string' && typeof b === 'string') return apply2(frame, overload, a, b)
    if (!(a instanceof CelError || b instanceof CelError)) return noSuchOverload()
    return failed(frame, overloads, [a, b])
  }
}

/**
 * The first error among arguments, after the cost of the call that it prevents: an error counts as a value of size 1. A
 * prepared call costs nothing then.
 */
export function failed(
  frame: Frame,
  overloads: readonly CallTarget[],
  args: readonly Result[],
): CelError {
  const [only] = overloads
  if (only === undefined || overloads.length > 1 || only.cost === undefined) frame.left -= 1
  else if (!only.prepared) {
    const given = only.args.map((type, index) => {
      const arg = args[index] as Result
      return arg instanceof CelError || !isOfType(type, arg) ? ofSizeOne(type.kind) : arg
    })
    frame.charge(only.cost(...given))
    if (only.resultCost !== undefined) frame.left -= only.resultCost('1')
  }
  return args.find((arg) => arg instanceof CelError) as CelError
}

/** Calls the first overload that takes the types of both values. */
export function dispatch2(
  frame: Frame,
  overloads: readonly CallTarget[],
  a: Value,
  b: Value,
): Result {
  for (let index = 0; index < overloads.length; index++) {
    const overload = overloads[index] as CallTarget
    if (isOfType(overload.first, a) && isOfType(overload.second, b)) {
      return apply2(frame, overload, a, b)
    }
  }
  return noSuchOverload()
}

function apply2(frame: Frame, overload: CallTarget, a: Value, b: Value): Result {
  const { cost, resultCost } = overload
  if (cost === undefined) frame.left -= 1
  else frame.charge(cost(a, b))
  const result = overload.call(a, b)
  return resultCost === undefined ? result : charged(frame, resultCost, result)
}

/** Takes the part of a call's cost that depends on its result. */
function charged(frame: Frame, resultCost: (result: Value) => number, result: Result): Result {
  if (!(result instanceof CelError)) frame.charge(resultCost(result))
  return result
}

/** The first error is the result. The call costs nothing then, unless it was the last argument's. */
function callMany(overloads: readonly CallTarget[], codes: readonly Code[]): Code {
  return (frame) => {
    const args: Value[] = []
    for (const code of codes) {
      const value = code(frame)
      if (value instanceof CelError) {
        const last = args.length + 1 === codes.length
        return last ? failed(frame, overloads, [...args, value]) : value
      }
      args.push(value)
    }
    for (const overload of overloads) {
      if (overload.args.every((type, index) => isOfType(type, args[index] as Value))) {
        return applyMany(frame, overload, args)
      }
    }
    return noSuchOverload()
  }
}

function applyMany(frame: Frame, overload: CallTarget, args: readonly Value[]): Result {
  const { cost, resultCost } = overload
  frame.charge(cost === undefined ? 1 : cost(...args))
  const result = overload.call(...args)
  return resultCost === undefined ? result : charged(frame, resultCost, result)
}
