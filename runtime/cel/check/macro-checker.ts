/** Type checking of macros, whose variables are in scope of their bodies only. */
import type { Bind, Expr, Fold } from '../syntax/ast.ts'
import type { Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import type { Scope } from './scope.ts'
import type { Substitution } from './substitution.ts'
import type { TypeErrors } from './type-errors.ts'
import { isWild } from './type-relations.ts'

/** What checking a macro needs of the whole check. */
export interface MacroContext {
  readonly check: (expr: Expr) => Type
  readonly scope: Scope
  readonly substitution: Substitution
  readonly errors: TypeErrors
}

/** The types of macros. */
export class MacroChecker {
  /** The index of each macro's first variable among the locals of a frame, by the number of its node. */
  readonly slots: (number | undefined)[] = []
  readonly #check: (expr: Expr) => Type
  readonly #scope: Scope
  readonly #substitution: Substitution
  readonly #errors: TypeErrors

  constructor({ check, scope, substitution, errors }: MacroContext) {
    this.#check = check
    this.#scope = scope
    this.#substitution = substitution
    this.#errors = errors
  }

  /** The macro's variables are in scope of its condition and body only. */
  fold(expr: Fold): Type {
    const range = this.#substitution.apply(this.#check(expr.range), false)
    const [first, second] = this.#iterated(expr, range)
    const depth = this.#scope.depth
    this.slots[expr.id] = depth
    this.#scope.declare(expr.variable, first)
    if (expr.second !== undefined) this.#scope.declare(expr.second, second)
    if (expr.condition !== undefined) {
      this.#predicate(expr.condition, this.#check(expr.condition), '_?_:_')
    }
    const body = this.#check(expr.body)
    this.#scope.leave(depth)
    return this.#folded(expr, range, first, body)
  }

  /** The types of the variables of a macro, from the type of its range. */
  #iterated(expr: Fold, range: Type): readonly [Type, Type] {
    const two = expr.second !== undefined
    switch (range.kind) {
      case 'list':
        return two ? [types.intType, range.element] : [range.element, range.element]
      case 'map':
        return [range.key, range.value]
      case 'dyn':
      case 'error':
      case 'parameter':
        this.#substitution.assign(types.dynType, range)
        return [types.dynType, types.dynType]
      default: {
        const text = `expression of type '${this.#errors.print(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
        const wrong = this.#errors.add(expr.range.at, text)
        return [wrong, wrong]
      }
    }
  }

  /** The type of what a macro gives. */
  #folded(expr: Fold, range: Type, first: Type, body: Type): Type {
    switch (expr.macro) {
      case 'all':
      case 'exists':
        return this.#predicate(expr.body, body, expr.macro === 'all' ? '_&&_' : '_||_')
      case 'existsOne':
        return this.#predicate(expr.body, body, '_?_:_')
      case 'filter':
        this.#predicate(expr.body, body, '_?_:_')
        return types.listType(first)
      case 'map':
      case 'transformList':
        return types.listType(body)
      case 'transformMap':
        return types.mapType(range.kind === 'list' ? types.intType : first, body)
      case 'transformMapEntry': {
        const entry = this.#substitution.apply(body, false)
        if (entry.kind === 'map') return entry
        const map = types.mapType(types.dynType, types.dynType)
        return isWild(entry) ? map : this.#errors.mismatch(expr.body.at, map, entry)
      }
    }
  }

  /** The body of a macro that decides must be a bool. */
  #predicate(expr: Expr, type: Type, operator: string): Type {
    if (this.#substitution.assign(types.boolType, type)) return types.boolType
    const args =
      operator === '_?_:_' ? [type, types.dynType, types.dynType] : [types.boolType, type]
    return this.#errors.noOverload({ at: expr.at, name: operator }, args, false)
  }

  /** The bound variable is in scope of the body only. */
  bind(expr: Bind): Type {
    const value = this.#substitution.apply(this.#check(expr.value), false)
    const bound = expr.over === 'value' ? value : this.#unwrapped(expr, value)
    const depth = this.#scope.depth
    this.slots[expr.id] = depth
    this.#scope.declare(expr.variable, bound)
    const body = this.#substitution.apply(this.#check(expr.body), false)
    this.#scope.leave(depth)
    if (expr.over === 'optMap') return types.optionalType(body)
    if (expr.over === 'value' || body.kind === 'optional' || isWild(body)) return body
    return this.#errors.mismatch(expr.body.at, types.asOptional(body), body)
  }

  /**
   * The type inside the optional that `optMap` or `optFlatMap` is called on; `dyn` where it is
   * not known.
   */
  #unwrapped(expr: Bind, value: Type): Type {
    if (value.kind === 'optional') return value.element
    if (isWild(value)) return types.dynType
    return this.#errors.noOverload({ at: expr.at, name: 'hasValue' }, [value], true)
  }
}
