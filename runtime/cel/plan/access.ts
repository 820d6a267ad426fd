import { entryOf, itemOf, noSuchKey } from '../standard/collections.ts'
import type { Call, Expr, Select } from '../syntax/ast.ts'
import type { Field } from '../types/types.ts'
import { isList, isMap, isPlain, lookup } from '../values/collections.ts'
import {
  adopt,
  CelError,
  fail,
  ObjectView,
  Optional,
  type Result,
  TypeValue,
  type Value,
} from '../values/values.ts'
import { type Code, constantCode, type Frame } from './frame.ts'
import type { Planner } from './node-planner.ts'

/**
 * Names, selections, indexes and conditionals: what reads a place. Each step costs one. A path that starts at something
 * else than a name costs one more for its start, and the start costs nothing (`bare`) where the path itself is an
 * index, a branch of a conditional or what `has` asks about: the prices that the cost model documents.
 */
export function isAccess(expr: Expr, planner: Pick<Planner, 'reference'>): boolean {
  if (expr.is === 'ident' || expr.is === 'select') return true
  return expr.is === 'call' && planner.reference(expr)?.is === 'function' && accesses.has(expr.name)
}

const accesses = new Set(['_[_]', '_[?_]', '_?_:_'])

/** The code of a node that reads a place. */
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

function constantError(message: string): Code {
  return () => fail(message)
}

function localCode(slot: number, cost: number): Code {
  return (frame) => {
    frame.left -= cost
    return frame.locals[slot] as Result
  }
}

function globalCode(index: number, cost: number): Code {
  return (frame) => {
    frame.left -= cost
    const value = frame.globals[index]
    return value === undefined ? frame.load(index) : value
  }
}

/** The code of what is accessed, and what the access costs on top. */
function baseCode(operand: Expr, planner: Planner, bare: boolean): [code: Code, cost: number] {
  if (isAccess(operand, planner)) return [accessCode(operand, planner, bare), 1]
  return [planner.code(operand), bare ? 1 : 2]
}

/** An expression whose own start costs nothing if it is a path. */
function bareCode(expr: Expr, planner: Planner): Code {
  return isAccess(expr, planner) ? accessCode(expr, planner, true) : planner.code(expr)
}

function selectCode(expr: Select, planner: Planner, bare: boolean): Code {
  const name = expr.field
  if (expr.test) {
    return hasCode(bareCode(expr.operand, planner), name, fieldIn(expr, planner))
  }
  const [operand, cost] = baseCode(expr.operand, planner, bare)
  if (expr.optional) {
    return (frame) => {
      const value = operand(frame)
      frame.left -= cost
      return optionalField(value, name)
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

function fieldIn({ operand, field }: Select, planner: Planner): Field | undefined {
  const type = planner.typeOf(operand)
  return type.kind === 'object' ? type.field(field) : undefined
}

/** Whether a field is there, without reading it if it is a declared one. */
function hasCode(operand: Code, name: string, field: Field | undefined): Code {
  if (field === undefined) return (frame) => hasField(operand(frame), name)
  const careful = inherited.has(field.property)
  return (frame) => {
    const value = operand(frame)
    if (!(value instanceof ObjectView)) return hasField(value, name)
    const raw = own(value.raw, field.property, careful)
    return raw !== undefined && raw !== null
  }
}

/** A selection of what is known only when it is read. `whole`: its cost if the operand is a variable, both together. */
interface Step {
  readonly operand: Code
  readonly cost: number
  readonly name: string
  readonly careful: boolean
  readonly whole: number
}

function stepped(value: Result, frame: Frame, { cost, name, careful }: Step): Result {
  frame.left -= cost
  if (!isPlain(value)) return fieldOf(value, name)
  const raw = own(value, name, careful)
  return raw === undefined ? noSuchKey(name) : adopt(raw)
}

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

/** A field of an object whose type is known. */
function declaredCode(operand: Code, cost: number, field: Field): Code {
  const step = declaredStep(field)
  return (frame) => {
    const value = operand(frame)
    frame.left -= cost
    return declared(value, step)
  }
}

function declaredOfLocal(slot: number, cost: number, field: Field): Code {
  const step = declaredStep(field)
  return (frame) => {
    frame.left -= cost
    return declared(frame.locals[slot] as Result, step)
  }
}

function declaredOfGlobal(index: number, cost: number, field: Field): Code {
  const step = declaredStep(field)
  return (frame) => {
    frame.left -= cost
    return declared(frame.globals[index] ?? frame.load(index), step)
  }
}

/** A selection of a declared field. `text`: a text that stands there is its value. */
interface DeclaredStep {
  readonly field: Field
  readonly careful: boolean
  readonly text: boolean
}

function declaredStep(field: Field): DeclaredStep {
  return { field, careful: inherited.has(field.property), text: field.type.kind === 'string' }
}

function declared(value: Result, { field, careful, text }: DeclaredStep): Result {
  if (!(value instanceof ObjectView)) return fieldOf(value, field.name)
  const raw = own(value.raw, field.property, careful)
  if (text && typeof raw === 'string') return raw
  return raw === undefined || raw === null ? noSuchKey(field.name) : (field.read(raw) as Result)
}

/** What stands under a name in raw JSON. `careful`: the name is one that every object inherits. */
function own(object: Readonly<Record<string, unknown>>, name: string, careful: boolean): unknown {
  return careful && !Object.hasOwn(object, name) ? undefined : object[name]
}

/** Names that are found in every object, its own or not. */
export const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

function fieldOf(value: Result, name: string): Result {
  if (value instanceof CelError) return value
  if (value instanceof Optional) {
    return value.value === undefined ? value : fieldOfInner(value.value, name)
  }
  const found = present(value, name)
  return found === undefined ? noSuchKey(name) : found
}

/** A field of what is inside an optional: what has no fields at all is an error here. */
function fieldOfInner(value: Value, name: string): Result {
  const found = present(value, name)
  if (found instanceof CelError) return found
  const fields = isMap(value) || value instanceof ObjectView
  return found === undefined && !fields ? noSuchKey(name) : optionalOf(found)
}

/** The value of a field or key, undefined if it is not there: what has no fields has not this one. */
function present(value: Value, name: string): Result | undefined {
  if (value instanceof ObjectView) {
    const field = value.type.field(name)
    return field === undefined ? fail(`no such field '${name}'`) : value.get(field)
  }
  if (isMap(value)) return lookup(value, name)
  return isList(value) ? itemOf(value, name) : undefined
}

function hasField(value: Result, name: string): Result {
  if (isPlain(value)) return Object.hasOwn(value, name)
  if (value instanceof CelError) return value
  if (value instanceof Optional) {
    return value.value === undefined ? false : hasField(value.value, name)
  }
  const found = present(value, name)
  return found instanceof CelError ? found : found !== undefined
}

function optionalOf(value: Value | undefined): Optional {
  return value === undefined ? Optional.none : new Optional(value)
}

function optionalField(value: Result, name: string): Result {
  if (value instanceof CelError) return value
  const inner = value instanceof Optional ? value.value : value
  if (inner === undefined) return Optional.none
  const found = present(inner, name)
  return found instanceof CelError ? found : optionalOf(found)
}

function indexCode(expr: Call, planner: Planner, bare: boolean): Code {
  const [target, key] = expr.args as [Expr, Expr]
  const [operand, cost] = baseCode(target, planner, bare)
  const index = bareCode(key, planner)
  const read = expr.name === '_[_]' ? indexed : optionallyIndexed
  return (frame: Frame) => {
    const value = operand(frame)
    if (value instanceof CelError) return value
    const at = index(frame)
    if (at instanceof CelError) return at
    frame.left -= cost
    return read(value, at)
  }
}

function indexed(value: Value, key: Value): Result {
  if (isList(value)) return itemOf(value, key)
  if (isMap(value)) return entryOf(value, key)
  if (value instanceof ObjectView && typeof key === 'string') return fieldOf(value, key)
  if (value instanceof Optional) return optionallyIndexed(value, key)
  return noSuchKey(key)
}

function optionallyIndexed(value: Value, key: Value): Result {
  const inner = value instanceof Optional ? value.value : value
  if (inner === undefined) return Optional.none
  if (isMap(inner)) {
    const found = lookup(inner, key)
    return found instanceof CelError ? found : optionalOf(found)
  }
  if (!isList(inner)) return Optional.none
  const item = itemOf(inner, key)
  if (!(item instanceof CelError)) return new Optional(item)
  return item.message.startsWith('index out of bounds') ? Optional.none : item
}

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
