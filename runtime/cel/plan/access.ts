/** Code of names, selections, indexes and conditionals: the expressions that read a value by a path. */
import { entryOf, noSuchKey } from '../standard/collections.ts'
import type { Call, Expr, Select } from '../syntax/ast.ts'
import type { Field } from '../types/types.ts'
import { isPlain } from '../values/collections.ts'
import {
  adopt,
  CelError,
  fail,
  MapView,
  ObjectView,
  Optional,
  type Result,
  TypeValue,
} from '../values/values.ts'
import { type Code, constantCode, type Frame } from './frame.ts'
import {
  fieldOf,
  hasField,
  indexed,
  inherited,
  optionalField,
  optionallyIndexed,
  own,
} from './members.ts'
import type { Planner } from './node-planner.ts'

/**
 * Whether an expression is a name, a selection, an index or a conditional.
 *
 * Each step of a path costs 1. A path that starts at anything but a name costs 1 more for its start, and the start
 * costs nothing (`bare`) where the path itself is an index, a branch of a conditional or the operand of `has`: the
 * prices of the reference cost model.
 */
export function isAccess(expr: Expr, planner: Pick<Planner, 'reference'>): boolean {
  if (expr.is === 'ident' || expr.is === 'select') return true
  return expr.is === 'call' && planner.reference(expr)?.is === 'function' && accesses.has(expr.name)
}

/** Operators that count as accesses, since the reference cost model charges them along paths. */
const accesses = new Set(['_[_]', '_[?_]', '_?_:_'])

/** The code of an expression that `isAccess`. `bare`: its start costs nothing. */
export function accessCode(expr: Expr, planner: Planner, bare: boolean): Code {
  const reference = planner.reference(expr)
  switch (reference?.is) {
    case 'type':
      return constantCode(new TypeValue(reference.type))
    case 'local':
      return localCode(reference.slot, bare ? 0 : 1)
    case 'variable':
      return globalCode(planner.variable(reference.name), bare ? 0 : 1)
  }
  if (expr.is === 'ident') return constantError(`undeclared reference to '${expr.name}'`)
  if (expr.is === 'select') return selectCode(expr, planner, bare)
  const call = expr as Call
  return call.name === '_?_:_' ? conditionalCode(call, planner) : indexCode(call, planner, bare)
}

/**
 * For names that an environment without checking lets pass: the error comes when the name is
 * read.
 */
function constantError(message: string): Code {
  return () => fail(message)
}

/**
 * The cost is subtracted without a look at the limit, as everywhere on paths: the next `charge`,
 * or the end of the evaluation, finds what was overspent.
 */
function localCode(slot: number, cost: number): Code {
  return (frame) => {
    frame.left -= cost
    return frame.locals[slot] as Result
  }
}

/** A variable is read from the bindings on first use and then kept in the frame. */
function globalCode(index: number, cost: number): Code {
  return (frame) => {
    frame.left -= cost
    const value = frame.globals[index]
    return value === undefined ? frame.load(index) : value
  }
}

/** The code of the operand of a selection or index, and what the access costs on top. */
function baseCode(operand: Expr, planner: Planner, bare: boolean): [code: Code, cost: number] {
  if (isAccess(operand, planner)) return [accessCode(operand, planner, bare), 1]
  return [planner.code(operand), bare ? 1 : 2]
}

/** The code of an expression whose start costs nothing if it is a path. */
function bareCode(expr: Expr, planner: Planner): Code {
  return isAccess(expr, planner) ? accessCode(expr, planner, true) : planner.code(expr)
}

function selectCode(expr: Select, planner: Planner, bare: boolean): Code {
  const name = expr.field
  if (expr.test) {
    const code = hasCode(bareCode(expr.operand, planner), name, fieldIn(expr, planner))
    return isConditional(expr.operand) ? cheaper(code) : code
  }
  const [operand, cost] = baseCode(expr.operand, planner, bare)
  if (expr.optional) {
    return (frame) => {
      const value = operand(frame)
      frame.left -= cost
      return unlessAbsent(frame, value, optionalField(value, name))
    }
  }
  const field = fieldIn(expr, planner)
  const reference = planner.reference(expr.operand)
  const price = cost + (bare ? 0 : 1)
  if (field !== undefined) {
    if (reference?.is === 'local') return declaredOfLocal(reference.slot, price, field)
    if (reference?.is !== 'variable') return declaredCode(operand, cost, field)
    return declaredOfGlobal(planner.variable(reference.name), price, field)
  }
  const careful = inherited.has(name)
  const step: Step = { operand, cost, name, careful, whole: price }
  if (reference?.is === 'local') return localFieldCode(reference.slot, step)
  if (reference?.is === 'variable') return globalFieldCode(planner.variable(reference.name), step)
  return (frame) => stepped(operand(frame), frame, step)
}

/** A step that finds nothing in an optional, or comes after an error, costs nothing. */
function unlessAbsent(frame: Frame, before: Result, found: Result): Result {
  if (found instanceof CelError ? found === before : isNone(found)) frame.left += 1
  return found
}

function isNone(value: Result): boolean {
  return value instanceof Optional && value.value === undefined
}

/** `value.name` after its cost was taken, in the cases that have no short cut. */
function fieldAfter(frame: Frame, value: Result, name: string): Result {
  const found = fieldOf(value, name)
  if (!(value instanceof CelError || value instanceof Optional)) return found
  return unlessAbsent(frame, value, found)
}

/** The declared field that a selection names; undefined where the operand's type is known only at run time. */
function fieldIn({ operand, field }: Select, planner: Planner): Field | undefined {
  const type = planner.typeOf(operand)
  return type.kind === 'object' ? type.field(field) : undefined
}

/** The code of `has(operand.name)`. A declared field is not read: that it is present and not null is enough. */
function hasCode(operand: Code, name: string, field: Field | undefined): Code {
  if (field === undefined) return (frame) => hasFieldAfter(frame, operand(frame), name)
  const careful = inherited.has(field.property)
  return (frame) => {
    const value = operand(frame)
    if (!(value instanceof ObjectView)) return hasFieldAfter(frame, value, name)
    frame.left -= 1
    const raw = own(value.raw, field.property, careful)
    return raw !== undefined && raw !== null
  }
}

/** The test of a conditional's value costs nothing. */
function cheaper(code: Code): Code {
  return (frame) => {
    frame.left += 1
    return code(frame)
  }
}

function isConditional(expr: Expr): boolean {
  return expr.is === 'call' && expr.name === '_?_:_'
}

function hasFieldAfter(frame: Frame, value: Result, name: string): Result {
  if (!(value instanceof CelError || isNone(value))) frame.left -= 1
  return hasField(value, name)
}

/** A selection of a field that the types do not declare. */
interface Step {
  readonly operand: Code
  readonly cost: number
  readonly name: string
  readonly careful: boolean
  /**
   * The price of operand and selection together, where the operand is a variable and costs nothing of its own to read.
   */
  readonly whole: number
}

/** The general case of an undeclared selection; plain JSON objects have short cuts below. */
function stepped(value: Result, frame: Frame, { cost, name, careful }: Step): Result {
  frame.left -= cost
  if (!isPlain(value)) return fieldAfter(frame, value, name)
  const raw = own(value, name, careful)
  return raw === undefined ? noSuchKey(name) : adopt(raw)
}

/** A selection on a macro's variable. Plain JSON objects, by far the most frequent, are read without a call. */
function localFieldCode(slot: number, step: Step): Code {
  const { operand, name, careful, whole } = step
  return (frame) => {
    const value = frame.locals[slot]
    if (!isPlain(value)) return stepped(operand(frame), frame, step)
    frame.left -= whole
    const raw = own(value, name, careful)
    return raw === undefined ? noSuchKey(name) : adopt(raw)
  }
}

/** A selection on a variable of the environment, with the same short cut. */
function globalFieldCode(index: number, step: Step): Code {
  const { operand, name, careful, whole } = step
  return (frame) => {
    const value = frame.globals[index]
    if (!isPlain(value)) return stepped(operand(frame), frame, step)
    frame.left -= whole
    const raw = own(value, name, careful)
    return raw === undefined ? noSuchKey(name) : adopt(raw)
  }
}

/** A selection of a declared field. */
function declaredCode(operand: Code, cost: number, field: Field): Code {
  const step = declaredStep(field)
  return (frame) => {
    const value = operand(frame)
    frame.left -= cost
    return declared(frame, value, step)
  }
}

function declaredOfLocal(slot: number, cost: number, field: Field): Code {
  const step = declaredStep(field)
  return (frame) => {
    frame.left -= cost
    return declared(frame, frame.locals[slot] as Result, step)
  }
}

function declaredOfGlobal(index: number, cost: number, field: Field): Code {
  const step = declaredStep(field)
  return (frame) => {
    frame.left -= cost
    return declared(frame, frame.globals[index] ?? frame.load(index), step)
  }
}

/** A selection of a declared field, prepared when the expression is planned. */
interface DeclaredStep {
  readonly field: Field
  readonly careful: boolean
  /** True for fields of type string: a JSON string is its own value and needs no reader. */
  readonly text: boolean
}

function declaredStep(field: Field): DeclaredStep {
  return { field, careful: inherited.has(field.property), text: field.type.kind === 'string' }
}

/** A declared field that is null or missing is absent: reading it is an error, `has` is false. */
function declared(frame: Frame, value: Result, { field, careful, text }: DeclaredStep): Result {
  if (!(value instanceof ObjectView)) return fieldAfter(frame, value, field.name)
  const raw = own(value.raw, field.property, careful)
  if (text && typeof raw === 'string') return raw
  return raw === undefined || raw === null ? noSuchKey(field.name) : (field.read(raw) as Result)
}

/** The operand is evaluated before the index, and an error of either is the result of both. */
function indexCode(expr: Call, planner: Planner, bare: boolean): Code {
  const [target, key] = expr.args as [Expr, Expr]
  const [operand, cost] = baseCode(target, planner, bare)
  const index = bareCode(key, planner)
  const optional = expr.name === '_[?_]'
  const read = optional ? optionallyIndexed : indexed
  return (frame: Frame) => {
    const value = operand(frame)
    if (value instanceof CelError) {
      frame.left -= cost - 1
      return value
    }
    const at = index(frame)
    frame.left -= cost
    if (!optional && value instanceof MapView && typeof at === 'string') return entryOf(value, at)
    if (at instanceof CelError) return optional ? unlessAbsent(frame, at, at) : at
    const found = read(value, at)
    return found instanceof Optional ? unlessAbsent(frame, value, found) : found
  }
}

/** Only the branch that is taken is evaluated and paid for; the operator itself costs nothing. */
function conditionalCode(expr: Call, planner: Planner): Code {
  const [condition, first, second] = expr.args as [Expr, Expr, Expr]
  const test = planner.code(condition)
  const yes = bareCode(first, planner)
  const no = bareCode(second, planner)
  return (frame) => {
    const value = test(frame)
    if (value === true) return yes(frame)
    if (value === false) return no(frame)
    return value instanceof CelError ? value : fail('no such overload')
  }
}
