/** The worst case of an expression, from the bounds of its variables: known before any evaluation. */
import type { Environment } from '../check/environment.ts'
import { type Checked, constant } from '../check/references.ts'
import { bindCost, foldCosts, listCost, mapCost } from '../cost/macro-costs.ts'
import { addRange, exactly, multiplyRange, one, uniteRange, unknown, zero } from '../cost/ranges.ts'
import type { ArgumentEstimate, CallEstimate, Overload, Range } from '../functions/functions.ts'
import { sizeOf } from '../standard/comparison.ts'
import type { Bind, Call, Expr, Fold, Ident, Select } from '../syntax/ast.ts'
import type { Bounds, Type } from '../types/types.ts'
import { continued, Path, steps } from './paths.ts'

/**
 * What is known of a node before it is evaluated: its cost, the size of its value where the expression itself says it,
 * and the path along which the schema may say it.
 */
interface Estimate {
  readonly cost: Range
  readonly size?: Range | undefined
  readonly path?: Path | undefined
}

/** The least and the most that an expression can cost. */
export function estimate(checked: Checked, environment: Environment): Range {
  return new Estimator(checked, environment.bounds).of(checked.expr).cost
}

/** What a macro walks over, for the paths of its variables. */
interface Walked {
  readonly type: Type
  readonly path: Path | undefined
}

/** One walk over a checked tree, in the order of the reference cost model (`Path` says why that counts). */
class Estimator {
  readonly #checked: Checked
  readonly #root: Bounds | undefined
  /** What the macros around a node walk over, by the names of their variables. */
  readonly #walked = new Map<string, readonly Walked[]>()

  constructor(checked: Checked, root: Bounds | undefined) {
    this.#checked = checked
    this.#root = root
  }

  /** What a name refers to decides first: `a.b` may be one variable, and costs 1 then. */
  of(expr: Expr): Estimate {
    const reference = this.#checked.references[expr.id]
    if (reference?.is === 'variable') return { cost: one, path: this.#named(reference.name) }
    if (reference?.is === 'type') return { cost: one, path: Path.of('') }
    switch (expr.is) {
      case 'literal':
        return { cost: zero, size: exactly(sizeOf(expr.value)) }
      case 'ident':
        return this.#ident(expr)
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return { cost: this.#sum(expr.items, listCost), size: exactly(expr.items.length) }
      case 'map': {
        const parts = expr.entries.flatMap(({ key, value }) => [key, value])
        return { cost: this.#sum(parts, mapCost), size: exactly(expr.entries.length) }
      }
      case 'fold':
        return this.#fold(expr)
      case 'bind':
        return { cost: this.#bind(expr) }
      default:
        return { cost: zero }
    }
  }

  #type({ id }: Expr): Type {
    return this.#checked.types[id] as Type
  }

  #sum(exprs: readonly Expr[], price: number): Range {
    return exprs.reduce((sum, expr) => addRange(sum, this.of(expr).cost), exactly(price))
  }

  #ident({ name }: Ident): Estimate {
    return { cost: one, path: this.#named(name) }
  }

  /** The innermost macro that walks with a variable of this name says where its path begins. */
  #named(name: string): Path | undefined {
    const walked = this.#walked.get(name)?.at(-1)
    if (walked === undefined) return Path.of(name)
    switch (walked.type.kind) {
      case 'list':
        return continued(walked.path, steps.items)
      case 'map':
        return continued(walked.path, steps.keys)
      default:
        return undefined
    }
  }

  /** `has` costs what its operand costs; a step below an optional, or a value of unknown type, is free. */
  #select(expr: Select): Estimate {
    const { cost, path } = this.of(expr.operand)
    if (expr.test) return { cost }
    if (expr.optional && this.#root?.optionals !== true) return { cost: addRange(cost, one) }
    const charged = expr.optional || charging.has(this.#type(expr.operand).kind)
    return { cost: charged ? addRange(cost, one) : cost, path: continued(path, expr.field) }
  }

  /** The widest estimate of the overloads that may be called, and the arguments' costs. */
  #call(expr: Call): Estimate {
    if (expr.name === '_&&_' || expr.name === '_||_') return this.#logical(expr)
    const reference = this.#checked.references[expr.id]
    const given = expr.args.map((arg) => this.of(arg))
    if (reference?.is !== 'function') return { cost: zero }
    if (expr.name === '_?_:_') return this.#conditional(expr.args, given)
    const receiver = reference.member ? expr.target : undefined
    const exprs = receiver === undefined ? expr.args : [receiver, ...expr.args]
    const estimates = receiver === undefined ? given : [this.of(receiver), ...given]
    const args = exprs.map((arg, index) => this.#argument(arg, estimates[index] as Estimate))
    const called = reference.overloads.map((overload) => callEstimate(overload, args))
    const { cost, size } = called.reduce(united)
    const whole = estimates.reduce((sum, arg) => addRange(sum, arg.cost), cost)
    return { cost: whole, size, path: indexedPath(reference.overloads, estimates[0]?.path) }
  }

  #argument(expr: Expr, estimate: Estimate): ArgumentEstimate {
    const type = this.#type(expr)
    const items = estimate.path?.sizeIn(this.#root, steps.items) ?? unknown
    return { type, size: this.#size(expr, estimate), items, literal: constant(expr) }
  }

  /** What the expression says, else what the schema says; scalars are 1, anything else is unknown. */
  #size(expr: Expr, { size, path }: Estimate): Range {
    const known = size ?? path?.sizeIn(this.#root)
    return known ?? (scalars.has(this.#type(expr).kind) ? one : unknown)
  }

  /** The first operand is always evaluated, the others perhaps. */
  #logical(expr: Call): Estimate {
    const [first, ...rest] = expr.args.map((arg) => this.of(arg).cost) as [Range, ...Range[]]
    const { max } = rest.reduce(addRange, first)
    return { cost: { min: first.min, max } }
  }

  /** Either branch, after the condition. */
  #conditional(exprs: readonly Expr[], [test, yes, no]: readonly Estimate[]): Estimate {
    if (test === undefined || yes === undefined || no === undefined) return { cost: zero }
    const [, first, second] = exprs as [Expr, Expr, Expr]
    const size = uniteRange(this.#size(first, yes), this.#size(second, no))
    return { cost: addRange(test.cost, uniteRange(yes.cost, no.cost)), size }
  }

  /** The loop at its largest: every item is visited, by the more expensive branch where there is one. */
  #fold(expr: Fold): Estimate {
    const range = this.of(expr.range)
    const body = this.#within(expr, range.path, () => this.#turn(expr))
    const { start } = foldCosts[expr.macro]
    const loop = multiplyRange(this.#size(expr.range, range), body)
    return { cost: addRange(addRange(range.cost, exactly(start)), loop) }
  }

  /** One turn of a macro's loop. Quantifiers end early, so the least of them is without the body. */
  #turn({ macro, condition, body }: Fold): Range {
    const { each, kept, dropped } = foldCosts[macro]
    if (macro === 'all' || macro === 'exists') {
      return addRange(exactly(each), { min: 0, max: this.of(body).cost.max })
    }
    if (macro === 'filter' || macro === 'existsOne') {
      return addRange(this.of(body).cost, uniteRange(exactly(kept), exactly(dropped)))
    }
    const test = condition === undefined ? undefined : this.of(condition).cost
    const taken = addRange(this.of(body).cost, exactly(kept))
    return test === undefined ? taken : addRange(test, uniteRange(taken, exactly(dropped)))
  }

  /** Estimates while the variables of a macro stand for the members of what it walks over. */
  #within(expr: Fold, path: Path | undefined, turn: () => Range): Range {
    const names = expr.second === undefined ? [expr.variable] : [expr.variable, expr.second]
    const before = names.map((name) => [name, this.#walked.get(name) ?? []] as const)
    const walked: Walked = { type: this.#type(expr.range), path }
    for (const [name, outer] of before) this.#walked.set(name, [...outer, walked])
    const result = turn()
    for (const [name, outer] of before) this.#walked.set(name, outer)
    return result
  }

  /** `cel.bind`; or `optMap` and `optFlatMap`, whose body may not run. */
  #bind({ over, value, body }: Bind): Range {
    const given = this.of(value).cost
    const bound = addRange(exactly(bindCost), addRange(given, this.of(body).cost))
    if (over === 'value') return bound
    const present = addRange(bound, exactly(over === 'optMap' ? 2 : 1))
    return addRange(addRange(given, one), uniteRange(one, present))
  }
}

/** The types of operands whose selections cost 1. */
const charging: ReadonlySet<Type['kind']> = new Set(['map', 'object', 'parameter'])

/** The types of values whose size is 1. */
const scalars: ReadonlySet<Type['kind']> = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'duration',
  'timestamp',
])

/** The path of an indexed value; of the overloads that may be meant, the last one counts. */
function indexedPath(overloads: readonly Overload[], path: Path | undefined): Path | undefined {
  let found: Path | undefined
  for (const { id } of overloads) {
    if (id === 'index_list') found = continued(path, steps.items)
    else if (id === 'index_map') found = continued(path, steps.values)
  }
  return found
}

/** Without an estimate of its own a call costs 1, and its result is of unknown size. */
function callEstimate(overload: Overload, args: readonly ArgumentEstimate[]): CallEstimate {
  return overload.estimate?.(...args) ?? { cost: one }
}

/** What holds for either of two overloads. */
function united(a: CallEstimate, b: CallEstimate): CallEstimate {
  const cost = uniteRange(a.cost, b.cost)
  const size = a.size && b.size ? uniteRange(a.size, b.size) : (a.size ?? b.size)
  return size === undefined ? { cost } : { cost, size }
}
