/** Code of macros that walk a list or a map (`all`, `exists`, `map`, `filter`), and of those that bind one value. */
import { type FoldCost, foldRunCosts } from '../cost/macro-costs.ts'
import type { Bind, Fold } from '../syntax/ast.ts'
import { isList, isMap, itemAt, keysOf, lengthOf, lookup } from '../values/collections.ts'
import type { Value } from '../values/values.ts'
import {
  adopt,
  CelError,
  fail,
  type List,
  ListJoin,
  ListView,
  type MapEntry,
  MapValue,
  Optional,
  type Result,
} from '../values/values.ts'
import { type Code, constantCode, type Frame } from './frame.ts'
import { insert } from './literals.ts'
import type { Planner } from './node-planner.ts'

/** A macro's parts as code. */
interface Walk {
  readonly price: FoldCost
  /** The index of the macro's first variable among the locals; a second one stands behind it. */
  readonly slot: number
  /** The macro binds two variables: index or key, and value. */
  readonly two: boolean
  readonly condition: Code
  readonly body: Code
}

/** What a macro walks over. `keys` is set for a map walked with two variables. */
interface Range {
  readonly keys: List | undefined
  readonly values: List
}

type Run = (frame: Frame, range: Range, walk: Walk) => Result

/** The evaluation of each macro. */
const runs: Readonly<Record<Fold['macro'], Run>> = {
  all: (frame, range, walk) => quantified(frame, range, walk, false),
  exists: (frame, range, walk) => quantified(frame, range, walk, true),
  existsOne,
  map: collected,
  transformList: collected,
  filter: filtered,
  transformMap: transformed,
  transformMapEntry: transformedEntries,
}

/** The code of a macro that walks a list or a map. The work is charged before each item is visited. */
export function foldCode(expr: Fold, planner: Planner): Code {
  const range = planner.code(expr.range)
  const { condition, second, macro } = expr
  const two = second !== undefined
  const walk: Walk = {
    price: priceOf(expr, planner),
    slot: planner.slot(expr),
    two,
    condition: condition === undefined ? constantCode(true) : planner.code(condition),
    body: planner.code(expr.body),
  }
  const run = macro === 'map' && condition === undefined && !two ? mapped : runs[macro]
  return (frame) => {
    const value = range(frame)
    if (value instanceof CelError) return value
    const over = rangeOf(value, two)
    if (over === undefined) return fail('no such overload')
    frame.charge(walk.price.start)
    return run(frame, over, walk)
  }
}

/** An item that is constant is appended as a list that is constant. */
function priceOf({ macro, body }: Fold, planner: Planner): FoldCost {
  const price = foldRunCosts[macro]
  if (macro !== 'map' || planner.constant(body) === undefined) return price
  return { ...price, kept: price.kept - 10 }
}

/** The items of a range; undefined for a value that cannot be walked. */
function rangeOf(value: Value, two: boolean): Range | undefined {
  if (isList(value)) return { keys: undefined, values: value }
  if (!isMap(value)) return undefined
  const keys = keysOf(value)
  if (!two) return { keys: undefined, values: keys }
  return { keys, values: keys.map((key) => lookup(value, key) as Value) }
}

/** Binds the variables to the item at an index and charges for the visit. */
function visit(
  frame: Frame,
  { keys, values }: Range,
  { price, slot, two }: Walk,
  index: number,
): void {
  frame.charge(price.each)
  const item = itemAt(values, index)
  if (two) {
    frame.locals[slot] = keys === undefined ? index : itemAt(keys, index)
    frame.locals[slot + 1] = item
  } else frame.locals[slot] = item
}

/** `exists` with `decisive` true, `all` with false: a decisive item wins over errors of other items. */
function quantified(frame: Frame, range: Range, walk: Walk, decisive: boolean): Result {
  const { body, price, slot, two } = walk
  const { values } = range
  const view = values instanceof ListView
  const plain = two || values instanceof ListJoin ? undefined : view ? values.raw : values
  const read = view ? values.read : adopt
  const length = lengthOf(values)
  let result: Result = !decisive
  for (let index = 0; index < length; index++) {
    if (plain === undefined) visit(frame, range, walk, index)
    else {
      frame.charge(price.each)
      frame.locals[slot] = read(plain[index])
    }
    const value = body(frame)
    if (value === decisive) {
      if (index + 1 < length) frame.left -= price.after
      return decisive
    }
    if (value !== !decisive && !(result instanceof CelError)) result = notBoolean(value)
  }
  return result
}

/** The error of a condition: its own, or that it is no bool. */
function notBoolean(value: Result): CelError {
  return value instanceof CelError ? value : fail('no such overload')
}

/** `existsOne`: exactly one item satisfies the condition. Unlike with `exists`, the last error of it is the result. */
function existsOne(frame: Frame, range: Range, walk: Walk): Result {
  let count = 0
  let failure: CelError | undefined
  const length = lengthOf(range.values)
  for (let index = 0; index < length; index++) {
    visit(frame, range, walk, index)
    const value = walk.body(frame)
    if (typeof value !== 'boolean') failure = notBoolean(value)
    else {
      frame.charge(value ? walk.price.kept : walk.price.dropped)
      if (value) count++
    }
  }
  return failure ?? count === 1
}

/** Binds the variables to the item at an index and says whether the condition holds for it, charging for that. */
function passes(
  frame: Frame,
  range: Range,
  walk: Walk,
  condition: Code,
  index: number,
): boolean | CelError {
  visit(frame, range, walk, index)
  const value = condition(frame)
  if (typeof value !== 'boolean') return notBoolean(value)
  frame.charge(value ? walk.price.kept : walk.price.dropped)
  return value
}

/** Calls `keep` for every item that satisfies the condition. An error ends the walk and is returned. */
function each(
  frame: Frame,
  range: Range,
  walk: Walk,
  condition: Code,
  keep: (index: number) => CelError | undefined,
): CelError | undefined {
  const length = lengthOf(range.values)
  for (let index = 0; index < length; index++) {
    const passed = passes(frame, range, walk, condition, index)
    if (passed instanceof CelError) return passed
    const error = passed ? keep(index) : undefined
    if (error !== undefined) return error
  }
  return undefined
}

/**
 * The item is kept as it was bound, so an item that is an error counts only if it passes. All items are visited: the
 * last error of the condition is the result, else the first one of an item.
 */
function filtered(frame: Frame, range: Range, walk: Walk): Result {
  const list: Value[] = []
  let failure: CelError | undefined
  const length = lengthOf(range.values)
  for (let index = 0; index < length; index++) {
    const passed = passes(frame, range, walk, walk.body, index)
    if (passed instanceof CelError) failure = passed
    if (passed !== true) continue
    const item = frame.locals[walk.slot] as Result
    if (item instanceof CelError) failure ??= item
    else list.push(item)
  }
  return failure ?? list
}

/** `map` without a condition. The first error of an item is the result, after all items. */
function mapped(frame: Frame, { values }: Range, { body, price, slot }: Walk): Result {
  const cost = price.each + price.kept
  const list: Value[] = []
  let failure: CelError | undefined
  const length = lengthOf(values)
  for (let index = 0; index < length; index++) {
    frame.charge(cost)
    frame.locals[slot] = itemAt(values, index)
    const item = body(frame)
    if (item instanceof CelError) failure ??= item
    else list.push(item)
  }
  return failure ?? list
}

/** Errors count as in `filtered`. */
function collected(frame: Frame, range: Range, walk: Walk): Result {
  const { body, condition } = walk
  const list: Value[] = []
  let failure: CelError | undefined
  const length = lengthOf(range.values)
  for (let index = 0; index < length; index++) {
    const passed = passes(frame, range, walk, condition, index)
    if (passed instanceof CelError) failure = passed
    if (passed !== true) continue
    const item = body(frame)
    if (item instanceof CelError) failure ??= item
    else list.push(item)
  }
  return failure ?? list
}

/** `transformMap`: the keys stay, the values are computed. */
function transformed(frame: Frame, range: Range, walk: Walk): Result {
  const table = new Map<string | number | bigint | boolean, MapEntry>()
  const error = each(frame, range, walk, walk.condition, () => {
    const key = frame.locals[walk.slot] as Value
    const value = walk.body(frame)
    return value instanceof CelError ? value : insert(table, { key, value })
  })
  return error ?? new MapValue(table)
}

/** `transformMapEntry`: every item gives a map whose entries are added to the result. */
function transformedEntries(frame: Frame, range: Range, walk: Walk): Result {
  const table = new Map<string | number | bigint | boolean, MapEntry>()
  const error = each(frame, range, walk, walk.condition, () => {
    const entries = walk.body(frame)
    if (entries instanceof CelError) return entries
    if (!isMap(entries)) return fail('no such overload')
    for (const key of keysOf(entries)) {
      const value = lookup(entries, key)
      if (value === undefined || value instanceof CelError) return value
      const error = insert(table, { key, value })
      if (error !== undefined) return error
    }
    return undefined
  })
  return error ?? new MapValue(table)
}

/** The code of `cel.bind`, and of `optMap` and `optFlatMap`, whose variable is bound only if the optional has a value. */
export function bindCode(expr: Bind, planner: Planner): Code {
  const value = planner.code(expr.value)
  const body = planner.code(expr.body)
  const slot = planner.slot(expr)
  if (expr.over === 'value') {
    return (frame) => {
      frame.locals[slot] = value(frame)
      return body(frame)
    }
  }
  return mappedCode(value, body, slot, expr)
}

/**
 * `optMap` and `optFlatMap`. The reference expansion evaluates its target for `hasValue` and again for `value`, so the
 * target's cost is charged twice although it is evaluated once.
 */
function mappedCode(value: Code, body: Code, slot: number, { over }: Bind): Code {
  return (frame) => {
    const before = frame.left
    const given = value(frame)
    if (given instanceof CelError) {
      frame.left -= 1
      return given
    }
    if (!(given instanceof Optional)) return fail('no such overload')
    if (given.value === undefined) {
      frame.charge(2)
      return Optional.none
    }
    frame.charge(before - frame.left + (over === 'optMap' ? 3 : 2))
    frame.locals[slot] = given.value
    const result = body(frame)
    if (result instanceof CelError || over === 'optFlatMap') return result
    return new Optional(result)
  }
}
