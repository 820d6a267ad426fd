import type { Call, Expr } from '../ast.ts'
import { constant } from '../check/checker.ts'
import { accepts, errorAmong, noSuchOverload, overloadFor } from '../dispatch.ts'
import type { Overload } from '../library.ts'
import type { Type } from '../types.ts'
import { CelError, fail, type Result, type Value } from '../values.ts'
import type { Code, Frame } from './frame.ts'
import type { Planner } from './planner.ts'

/** The code of a call: direct where the checker left one overload and sure types, else found by the values. */
export function callCode(expr: Call, planner: Planner): Code {
  const reference = planner.reference(expr)
  if (reference?.is !== 'function') return () => fail(`unbound function: ${expr.name}`)
  const args = argumentsOf(expr, reference.member)
  const codes = args.map((arg) => planner.code(arg))
  const { overloads } = reference
  const [only] = overloads
  if (only === undefined || overloads.length > 1 || only.args.length !== args.length) {
    return dispatched(overloads, codes)
  }
  const sure = only.args.every((type, index) => isSure(type, planner.typeOf(args[index] as Expr)))
  if (!sure) return dispatched(overloads, codes)
  return direct(only, codes, only.prepare?.(args.map(constant)) ?? only.call)
}

/** The arguments of a call, its target first if it is one. */
export function argumentsOf(expr: Call, member: boolean): readonly Expr[] {
  return member && expr.target !== undefined ? [expr.target, ...expr.args] : expr.args
}

/** Whether values of the checked type need no look before they are passed for the declared one. */
function isSure(declared: Type, checked: Type): boolean {
  if (declared.kind === 'dyn' || declared.kind === 'parameter') return true
  if (checked.kind === 'dyn' || checked.kind === 'null') return false
  return checked.kind === declared.kind
}

type Call1 = (a: Value) => Result
type Call2 = (a: Value, b: Value) => Result

function direct(overload: Overload, codes: readonly Code[], call: Overload['call']): Code {
  const [first, second] = codes
  if (overload.resultCost === undefined && first !== undefined) {
    if (codes.length === 1) return direct1(overload, first, call as Call1)
    if (codes.length === 2 && second !== undefined) {
      return direct2(overload, first, second, call as Call2)
    }
  }
  return (frame) => {
    const args = codes.map((code) => code(frame))
    return errorAmong(args) ?? apply(frame, overload, call, args as Value[])
  }
}

function direct1({ cost }: Overload, first: Code, call: Call1): Code {
  return (frame) => {
    const a = first(frame)
    if (a instanceof CelError) return a
    if (cost === undefined) frame.left -= 1
    else frame.charge(cost(a))
    return call(a)
  }
}

function direct2({ cost }: Overload, first: Code, second: Code, call: Call2): Code {
  return (frame) => {
    const a = first(frame)
    const b = second(frame)
    if (a instanceof CelError) return a
    if (b instanceof CelError) return b
    if (cost === undefined) frame.left -= 1
    else frame.charge(cost(a, b))
    return call(a, b)
  }
}

/** Pays for a call and makes it. */
export function apply(
  frame: Frame,
  { cost, resultCost }: Overload,
  call: Overload['call'],
  args: readonly Value[],
): Result {
  frame.charge(cost === undefined ? 1 : cost(...args))
  const result = call(...args)
  if (resultCost !== undefined && !(result instanceof CelError)) frame.charge(resultCost(result))
  return result
}

function dispatched(overloads: readonly Overload[], codes: readonly Code[]): Code {
  const [only] = overloads
  if (overloads.length === 1 && only?.args.length === codes.length) return guarded(only, codes)
  return (frame) => {
    const args = codes.map((code) => code(frame))
    return errorAmong(args) ?? dispatch(frame, overloads, args as Value[])
  }
}

function guarded(overload: Overload, codes: readonly Code[]): Code {
  return (frame) => {
    const args = codes.map((code) => code(frame))
    const error = errorAmong(args)
    if (error !== undefined) return error
    const fits = overload.args.every((type, index) => accepts(type, args[index] as Value))
    return fits ? apply(frame, overload, overload.call, args as Value[]) : noSuchOverload()
  }
}

/** Calls the overload that takes the values. */
export function dispatch(
  frame: Frame,
  overloads: readonly Overload[],
  args: readonly Value[],
): Result {
  const overload = overloadFor(overloads, args)
  return overload === undefined ? noSuchOverload() : apply(frame, overload, overload.call, args)
}
