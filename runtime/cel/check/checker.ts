/** Type checking: the type of every node, what names refer to, and what is wrong. */

import type { Overload } from '../functions/functions.ts'
import type {
  Call,
  Expr,
  Ident,
  ListExpr,
  Literal,
  MapExpr,
  Select,
  StructExpr,
} from '../syntax/ast.ts'
import type { Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import { typeOf } from '../values/value-type.ts'
import { candidates, type Environment } from './environment.ts'
import { MacroChecker } from './macro-checker.ts'
import { resolve } from './overloads.ts'
import { type Checked, pathOf, type Reference } from './references.ts'
import { Scope } from './scope.ts'
import { Substitution } from './substitution.ts'
import { TypeErrors } from './type-errors.ts'
import { isWiderOrSame, isWild } from './type-relations.ts'

/** Checks a tree in an environment. At most 100 errors are reported with their texts. */
export function check(expr: Expr, environment: Environment): Checked {
  const checker = new Checker(environment)
  checker.check(expr)
  return checker.finish(expr)
}

/** One walk over a tree. Types may contain variables until `finish` puts in what is known of them. */
class Checker {
  readonly #environment: Environment
  readonly #types: Type[] = []
  readonly #references: (Reference | undefined)[] = []
  readonly #substitution = new Substitution()
  readonly #scope = new Scope()
  readonly #errors: TypeErrors
  readonly #macros: MacroChecker
  #fresh = 0
  /** Literals with members of different types: an error where there is no other. */
  readonly #mixed: (() => void)[] = []
  /** In the arguments of a function whose literals may hold members of different types. */
  #mixing = false

  constructor(environment: Environment) {
    this.#environment = environment
    this.#errors = new TypeErrors(environment, this.#substitution)
    this.#macros = new MacroChecker({
      check: (expr) => this.check(expr),
      scope: this.#scope,
      substitution: this.#substitution,
      errors: this.#errors,
    })
  }

  /** The result, with every type variable resolved. */
  finish(expr: Expr): Checked {
    if (this.#errors.all.length === 0) for (const tell of this.#mixed) tell()
    for (const [id, type] of this.#types.entries()) {
      if (type !== undefined) this.#types[id] = this.#substitution.apply(type, true)
    }
    return {
      expr,
      types: this.#types,
      references: this.#references,
      slots: this.#macros.slots,
      errors: this.#errors.all,
      furtherErrors: this.#errors.further,
    }
  }

  /** The type of a node, which is remembered for it. */
  check(expr: Expr): Type {
    const type = this.#typed(expr)
    this.#types[expr.id] = type
    return type
  }

  /** One method for each sort of node. A node with an error has the type that fits everything. */
  #typed(expr: Expr): Type {
    switch (expr.is) {
      case 'literal':
        return literalType(expr)
      case 'ident':
        return this.#ident(expr)
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'struct':
        return this.#struct(expr)
      case 'fold':
        return this.#macros.fold(expr)
      case 'bind':
        return this.#macros.bind(expr)
    }
  }

  /** The full names that a name may mean here. */
  #candidates(name: string, rooted: boolean): readonly string[] {
    return rooted ? [name] : candidates(this.#environment.container, name)
  }

  /** A variable of a macro hides one of the environment. */
  #ident(expr: Ident): Type {
    const local = expr.rooted ? undefined : this.#scope.find(expr.name)
    if (local !== undefined) {
      this.#references[expr.id] = { is: 'local', slot: local.slot }
      return local.type
    }
    const found = this.#global(expr, expr.name, expr.rooted)
    if (found !== undefined) return found
    const names = [...this.#scope.names(), ...this.#environment.variables.keys()]
    return this.#errors.undeclared(expr.at, expr.name, names)
  }

  /** A variable or a type of the environment. */
  #global(expr: Expr, name: string, rooted: boolean): Type | undefined {
    for (const candidate of this.#candidates(name, rooted)) {
      const variable = this.#environment.variables.get(candidate)
      if (variable !== undefined) {
        this.#references[expr.id] = { is: 'variable', name: candidate }
        return variable.type
      }
      const type = this.#environment.types.get(candidate)
      if (type !== undefined) {
        this.#references[expr.id] = { is: 'type', type }
        return types.typeType(type)
      }
    }
    return undefined
  }

  /** `a.b.c` may be the name of a variable, a selection of one, or a type. */
  #select(expr: Select): Type {
    const path = expr.test || expr.optional ? undefined : pathOf(expr)
    if (path !== undefined && (path.rooted || this.#scope.find(path.first) === undefined)) {
      const type = this.#global(expr, path.name, path.rooted)
      if (type !== undefined) return type
    }
    const operand = this.#substitution.apply(this.check(expr.operand), false)
    const inner = operand.kind === 'optional' ? operand.element : operand
    const field = this.#field(expr, inner)
    if (expr.test) return types.boolType
    return expr.optional || operand.kind === 'optional' ? types.asOptional(field) : field
  }

  /** The type of a field of an operand; of `dyn` it is `dyn`. */
  #field({ at, field }: Select, operand: Type): Type {
    switch (operand.kind) {
      case 'error':
      case 'dyn':
        return types.dynType
      case 'parameter':
        this.#substitution.assign(types.dynType, operand)
        return types.dynType
      case 'map':
        if (!this.#substitution.assign(operand.key, types.stringType)) {
          return this.#errors.mismatch(at, operand.key, types.stringType)
        }
        return operand.value
      case 'object': {
        const found = operand.field(field)
        if (found !== undefined) return found.type
        return this.#errors.add(at, `undefined field '${field}'`, operand.fields())
      }
      default:
        return this.#errors.add(
          at,
          `type '${this.#errors.print(operand)}' does not support field selection`,
        )
    }
  }

  /** `a.f(x)` may be a method, or the function `a.f`. */
  #call(expr: Call): Type {
    const { target, name } = expr
    if (target !== undefined) {
      const namespaced = this.#namespaced(expr, target)
      if (namespaced !== undefined) return namespaced
      const overloads = this.#environment.functions.get(name)
      const receiver = this.check(target)
      const args = this.#arguments(expr.args, overloads)
      if (overloads === undefined) {
        return this.#errors.undeclared(expr.at, name, this.#environment.functions.keys())
      }
      return this.#resolve(expr, overloads, [receiver, ...args], true)
    }
    if (name === '_&&_' || name === '_||_') return this.#logical(expr)
    const rooted = name.startsWith('.')
    const found = this.#function(rooted ? name.slice(1) : name, rooted)
    const args = this.#arguments(expr.args, found)
    if (found === undefined) {
      return this.#errors.undeclared(expr.at, name, this.#environment.functions.keys())
    }
    return this.#resolve(expr, found, args, false)
  }

  /**
   * The overloads of the first candidate that names a function: an inner namespace hides an outer
   * one.
   */
  #function(name: string, rooted: boolean): readonly Overload[] | undefined {
    for (const candidate of this.#candidates(name, rooted)) {
      const overloads = this.#environment.functions.get(candidate)
      if (overloads !== undefined) return overloads
    }
    return undefined
  }

  /**
   * `url.parse(x)` is a call of the function `url.parse` where an environment has one, whatever
   * `url` is else: a function wins over a method of the same spelling.
   */
  #namespaced(expr: Call, target: Expr): Type | undefined {
    const path = pathOf(target)
    if (path === undefined) return undefined
    const overloads = this.#function(`${path.name}.${expr.name}`, path.rooted)
    if (overloads === undefined) return undefined
    const args = this.#arguments(expr.args, overloads)
    return this.#resolve(expr, overloads, args, false)
  }

  /** The types of arguments; some functions allow literals of mixed types in them. */
  #arguments(args: readonly Expr[], overloads: readonly Overload[] = []): readonly Type[] {
    const outside = this.#mixing
    this.#mixing ||= overloads.some(({ mixes }) => mixes)
    const found = args.map((arg) => this.check(arg))
    this.#mixing = outside
    return found
  }

  /** The parser joins chains: `a && b && c` is one call with three arguments. Each operand is a bool. */
  #logical(expr: Call): Type {
    let result: Type = types.boolType
    for (const arg of expr.args) {
      const type = this.check(arg)
      if (this.#substitution.assign(types.boolType, type)) continue
      result = this.#errors.mismatch(arg.at, types.boolType, type)
    }
    return result
  }

  /** Notes the overloads that fit. Without checking, a call that none fits is left to run time. */
  #resolve(
    expr: Call,
    overloads: readonly Overload[],
    args: readonly Type[],
    member: boolean,
  ): Type {
    const next = () => this.#fresh++
    const { fitting, result } = resolve(overloads, args, member, this.#substitution, next)
    if (result === undefined) {
      if (!this.#environment.checked)
        this.#references[expr.id] = { is: 'function', overloads, member }
      return this.#errors.noOverload(expr, args, member)
    }
    this.#references[expr.id] = { is: 'function', overloads: fitting, member }
    return result
  }

  /** The common type of two members of a literal. */
  #join(at: number, joined: Type | undefined, type: Type): Type {
    if (joined === undefined) return type
    if (this.#substitution.assign(joined, type)) {
      return isWiderOrSame(joined, type) ? joined : type
    }
    const homogeneous = this.#environment.homogeneousLiterals && !this.#mixing
    if (homogeneous) this.#mixed.push(() => this.#errors.mismatch(at, joined, type))
    return types.dynType
  }

  /** The type of an entry's value, out of its optional. */
  #entry(expr: Expr, isOptional: boolean): Type {
    const type = this.#substitution.apply(this.check(expr), false)
    if (!isOptional) return type
    if (type.kind === 'optional') return type.element
    return isWild(type) ? type : this.#errors.mismatch(expr.at, types.asOptional(type), type)
  }

  /**
   * An empty list has a type variable for its members, so that it fits whatever list is expected.
   */
  #list(expr: ListExpr): Type {
    let joined: Type | undefined
    for (const [index, item] of expr.items.entries()) {
      joined = this.#join(item.at, joined, this.#entry(item, expr.optional[index] ?? false))
    }
    return types.listType(joined ?? this.#variable())
  }

  /** Keys and values are joined apart; only values can be optional. */
  #map(expr: MapExpr): Type {
    let key: Type | undefined
    let value: Type | undefined
    for (const entry of expr.entries) {
      key = this.#join(entry.key.at, key, this.check(entry.key))
      value = this.#join(entry.value.at, value, this.#entry(entry.value, entry.optional))
    }
    return types.mapType(key ?? this.#variable(), value ?? this.#variable())
  }

  /** A type variable of its own: the member type of an empty literal. */
  #variable(): Type {
    return types.typeParameter(`_${this.#fresh++}`)
  }

  /** There are no message types: a struct literal is always an error. */
  #struct(expr: StructExpr): Type {
    for (const { value } of expr.fields) this.check(value)
    const known = this.#candidates(expr.name, expr.rooted).find((name) =>
      this.#environment.types.has(name),
    )
    if (known === undefined) return this.#errors.undeclared(expr.at, expr.name)
    return this.#errors.add(expr.at, `'${known}' is not a message type`)
  }
}

function literalType({ value }: Literal): Type {
  return typeOf(value)
}
