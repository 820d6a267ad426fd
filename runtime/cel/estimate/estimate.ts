/** The worst case of an expression, from the bounds of its variables: known before any evaluation. */
import type { Environment } from '../check/environment.ts'
import { type Checked, constant } from '../check/references.ts'
import { bindCost, foldCosts, listCost, mapCost } from '../cost/macro-costs.ts'
import { addRange, exactly, multiplyRange, one, uniteRange, unknown, zero } from '../cost/ranges.ts'
import type { ArgumentEstimate, CallEstimate, Overload, Range } from '../functions/functions.ts'
import { isAccess } from '../plan/access.ts'
import { argumentsOf } from '../plan/calls.ts'
import { sizeOf } from '../standard/comparison.ts'
import type { Bind, Call, Expr, Fold, Select } from '../syntax/ast.ts'
import type { Bounds, Type } from '../types/types.ts'

/** What is known of a node before it is evaluated: its cost, and the sizes of its value and of the members of that. */
interface Estimate {
  readonly cost: Range
  readonly size: Range
  readonly bounds: Bounds | undefined
}

/** The least and the most that an expression can cost. */
export function estimate(checked: Checked, environment: Environment): Range {
  return new Estimator(checked, environment).of(checked.expr).cost
}

/** One walk over a checked tree; the estimates of macro variables are by their slots. */
class Estimator {
  readonly #checked: Checked
  readonly #environment: Environment
  readonly #locals: Estimate[] = []

  constructor(checked: Checked, environment: Environment) {
    this.#checked = checked
    this.#environment = environment
  }

  of(expr: Expr): Estimate {
    const reference = this.#checked.references[expr.id]
    switch (reference?.is) {
      case 'type':
        return { cost: zero, size: one, bounds: undefined }
      case 'local':
        return { ...(this.#locals[reference.slot] as Estimate), cost: one }
      case 'variable':
        return this.#bounded(expr, one, this.#environment.variables.get(reference.name)?.bounds)
      default:
        return this.#ofNode(expr)
    }
  }

  #ofNode(expr: Expr): Estimate {
    switch (expr.is) {
      case 'literal':
        return { cost: zero, size: exactly(sizeOf(expr.value)), bounds: undefined }
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#members(expr.items, expr.items.length, listCost)
      case 'map':
        return this.#entries(expr.entries)
      case 'fold':
        return this.#fold(expr)
      case 'bind':
        return this.#bind(expr)
      default:
        return { cost: zero, size: unknown, bounds: undefined }
    }
  }

  #type(expr: Expr): Type {
    return this.#checked.types[expr.id] as Type
  }

  /** The estimate of a value with these bounds. */
  #bounded(expr: Expr, cost: Range, bounds: Bounds | undefined): Estimate {
    return { cost, bounds, size: sizeWithin(this.#type(expr), bounds) }
  }

  #select(expr: Select): Estimate {
    const operand = this.of(expr.operand)
    if (expr.test) return { cost: operand.cost, size: one, bounds: undefined }
    const type = this.#type(expr.operand)
    const inner = type.kind === 'optional' ? type.element : type
    const field = inner.kind === 'object' ? inner.field(expr.field) : undefined
    const bounds = field === undefined ? operand.bounds?.element : field.bounds
    return this.#bounded(expr, addRange(operand.cost, this.#step(expr.operand)), bounds)
  }

  /** What a selection or index costs: one more where the path does not begin with a name. */
  #step(operand: Expr): Range {
    const reference = ({ id }: Expr) => this.#checked.references[id]
    return isAccess(operand, { reference }) ? one : { min: 1, max: 2 }
  }

  /** The estimate of a list literal. */
  #members(items: readonly Expr[], count: number, price: number): Estimate {
    const estimates = items.map((item) => this.of(item))
    const cost = estimates.reduce((sum, item) => addRange(sum, item.cost), exactly(price))
    const element = estimates.length === 0 ? undefined : elementOf(estimates)
    return { cost, size: exactly(count), bounds: element }
  }

  /** The estimate of a map literal: keys and values apart. */
  #entries(entries: readonly { readonly key: Expr; readonly value: Expr }[]): Estimate {
    const keys = this.#members(
      entries.map(({ key }) => key),
      entries.length,
      0,
    )
    const values = this.#members(
      entries.map(({ value }) => value),
      entries.length,
      mapCost,
    )
    const size = keys.bounds?.element?.size
    const bounds = size === undefined ? values.bounds : { ...values.bounds, key: { size } }
    return { cost: addRange(keys.cost, values.cost), size: exactly(entries.length), bounds }
  }

  /** The widest estimate of the overloads that may be called, and the arguments' costs. */
  #call(expr: Call): Estimate {
    if (expr.name === '_&&_' || expr.name === '_||_') return this.#logical(expr)
    const reference = this.#checked.references[expr.id]
    if (reference?.is !== 'function') return { cost: zero, size: unknown, bounds: undefined }
    const args = argumentsOf(expr, reference.member)
    const estimates = args.map((arg) => this.of(arg))
    if (expr.name === '_?_:_') return conditional(estimates)
    const given = args.map((arg, index) => this.#argument(arg, estimates[index] as Estimate))
    const called = reference.overloads
      .map((overload) => callEstimate(overload, given))
      .reduce(united)
    const start = indexes.has(expr.name) ? addRange(this.#step(args[0] as Expr), less) : zero
    const own = addRange(called.cost, start)
    const cost = estimates.reduce((sum, arg) => addRange(sum, arg.cost), own)
    if (expr.name === 'dyn') return { ...(estimates[0] as Estimate), cost }
    const bounds = called.bounds
    return { cost, bounds, size: called.size ?? sizeWithin(this.#type(expr), bounds) }
  }

  #argument(expr: Expr, { size, bounds }: Estimate): ArgumentEstimate {
    return { type: this.#type(expr), size, bounds, literal: constant(expr) }
  }

  /** The first operand is always evaluated, the others perhaps. */
  #logical(expr: Call): Estimate {
    const [first, ...rest] = expr.args.map((arg) => this.of(arg).cost) as [Range, ...Range[]]
    const { max } = rest.reduce(addRange, first)
    return { cost: { min: first.min, max }, size: one, bounds: undefined }
  }

  /** The loop at its largest: every item is visited, by the more expensive branch where there is one. */
  #fold(expr: Fold): Estimate {
    const range = this.of(expr.range)
    const depth = this.#locals.length
    const slot = this.#checked.slots[expr.id] ?? 0
    this.#declare(expr, range, slot)
    const condition = expr.condition === undefined ? zero : this.of(expr.condition).cost
    const body = this.of(expr.body)
    const item = this.#locals[slot]
    this.#locals.length = Math.min(this.#locals.length, depth)
    const { start, each, kept, dropped } = foldCosts[expr.macro]
    const turn = uniteRange(exactly(each + kept), exactly(each + dropped))
    const filters =
      expr.condition !== undefined || expr.macro === 'filter' || expr.macro === 'existsOne'
    const fixed = filters ? turn : exactly(each + kept)
    const step = expr.condition === undefined ? body.cost : { min: 0, max: body.cost.max }
    const loop = multiplyRange(range.size, addRange(fixed, addRange(condition, step)))
    const cost = addRange(addRange(range.cost, exactly(start)), loop)
    const members = expr.macro === 'filter' ? item : body
    return { cost, ...collectedSize(expr, range, members) }
  }

  /** The estimates of a macro's variables, from the bounds of its range. */
  #declare(expr: Fold, range: Estimate, slot: number): void {
    const type = this.#type(expr.range)
    const { bounds } = range
    const isMap = type.kind === 'map'
    const keyType = isMap ? type.key : undefined
    const valueType = isMap ? type.value : type.kind === 'list' ? type.element : undefined
    const value = {
      cost: one,
      bounds: bounds?.element,
      size: sizeWithin(valueType, bounds?.element),
    }
    const key = { cost: one, bounds: bounds?.key, size: sizeWithin(keyType, bounds?.key) }
    if (expr.second === undefined) this.#locals[slot] = isMap ? key : value
    else {
      this.#locals[slot] = isMap ? key : { cost: one, size: one, bounds: undefined }
      this.#locals[slot + 1] = value
    }
  }

  /** The estimate of `cel.bind`, and of `optMap` and `optFlatMap`, whose body may not run. */
  #bind(expr: Bind): Estimate {
    const value = this.of(expr.value)
    const slot = this.#checked.slots[expr.id] ?? 0
    this.#locals[slot] = value
    const body = this.of(expr.body)
    if (expr.over === 'value') {
      const cost = addRange(exactly(bindCost), addRange(value.cost, body.cost))
      return { ...body, cost }
    }
    const present = addRange(addRange(value.cost, body.cost), exactly(bindCost + 3))
    const cost = addRange(value.cost, uniteRange(exactly(2), present))
    return { ...body, cost }
  }
}

const indexes = new Set(['_[_]', '_[?_]'])
/** An index at the start of a path is charged by its overload already. */
const less = exactly(-1)

/** The size of a value of a type: scalars are 1, an undeclared size is unknown. */
function sizeWithin(type: Type | undefined, bounds: Bounds | undefined): Range {
  if (bounds?.size !== undefined) return { min: 0, max: bounds.size }
  switch (type?.kind) {
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'null':
    case 'duration':
    case 'timestamp':
    case 'type':
    case 'opaque':
      return one
    default:
      return unknown
  }
}

/** Bounds of the members of a literal: as large as the largest. */
function elementOf(estimates: readonly Estimate[]): Bounds | undefined {
  const size = estimates.reduce((most, item) => Math.max(most, item.size.max), 0)
  const [first] = estimates
  const inner = estimates.length === 1 ? first?.bounds : undefined
  return size < unknown.max ? { element: { ...inner, size } } : undefined
}

/** Either branch, after the condition. */
function conditional([test, yes, no]: readonly Estimate[]): Estimate {
  if (test === undefined || yes === undefined || no === undefined) {
    return { cost: zero, size: unknown, bounds: undefined }
  }
  const cost = addRange(test.cost, uniteRange(yes.cost, no.cost))
  return { cost, size: uniteRange(yes.size, no.size), bounds: wider(yes.bounds, no.bounds) }
}

/** Bounds that hold for both; undefined if one is not bounded. */
function wider(a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined {
  if (a === undefined || b === undefined) return undefined
  const size = a.size === undefined || b.size === undefined ? undefined : Math.max(a.size, b.size)
  const element = wider(a.element, b.element)
  const key = wider(a.key, b.key)
  return {
    ...(size === undefined ? {} : { size }),
    ...(element === undefined ? {} : { element }),
    ...(key === undefined ? {} : { key }),
  }
}

function callEstimate(overload: Overload, args: readonly ArgumentEstimate[]): CallEstimate {
  return overload.estimate?.(...args) ?? { cost: one }
}

/** What holds for either of two overloads. */
function united(a: CallEstimate, b: CallEstimate): CallEstimate {
  const cost = uniteRange(a.cost, b.cost)
  const bounds = wider(a.bounds, b.bounds)
  const size =
    a.size === undefined ? b.size : b.size === undefined ? a.size : uniteRange(a.size, b.size)
  return {
    cost,
    ...(size === undefined ? {} : { size }),
    ...(bounds === undefined ? {} : { bounds }),
  }
}

/** The size of what a macro gives. */
function collectedSize(
  expr: Fold,
  range: Estimate,
  member: Estimate | undefined,
): Omit<Estimate, 'cost'> {
  switch (expr.macro) {
    case 'all':
    case 'exists':
    case 'existsOne':
      return { size: one, bounds: undefined }
    case 'transformMapEntry':
      return { size: range.size, bounds: undefined }
    default: {
      const element = member === undefined ? undefined : elementOf([member])
      return { size: { min: 0, max: range.size.max }, bounds: element }
    }
  }
}
