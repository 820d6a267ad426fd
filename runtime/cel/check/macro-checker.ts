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
    const condition = expr.condition && this.#check(expr.condition)
    const body = this.#check(expr.body)
    this.#scope.leave(depth)
    const folded = this.#folded(expr, range, first, body)
    if (condition !== undefined) this.#choice(expr, condition, folded)
    return folded
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
        if (this.#substitution.assign(types.boolType, body)) return types.boolType
        return this.#errors.mismatch(expr.body.at, types.boolType, body)
      case 'existsOne':
        this.#choice(expr, body, types.intType)
        return types.boolType
      case 'filter': {
        const list = types.listType(first)
        this.#choice(expr, body, list)
        return list
      }
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

  /** What decides whether an item counts must be a bool: it chooses between the result with the item and without. */
  #choice({ at }: Fold, condition: Type, result: Type): void {
    if (this.#substitution.assign(types.boolType, condition)) return
    this.#errors.noOverload({ at, name: '_?_:_' }, [condition, result, result], false)
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
