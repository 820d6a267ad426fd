/** Type checking: the type of every node, what names refer to, and what is wrong. */

import type { Overload } from '../functions/functions.ts'
import type {
  Bind,
  Call,
  Expr,
  Fold,
  Ident,
  ListExpr,
  Literal,
  MapExpr,
  Select,
  StructExpr,
} from '../syntax/ast.ts'
import type { CompileError } from '../syntax/source.ts'
import type { Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import { typeOf } from '../values/value-type.ts'
import { candidates, type Environment } from './environment.ts'
import { resolve } from './overloads.ts'
import { type Checked, constant, pathOf, type Reference } from './references.ts'
import { Scope } from './scope.ts'
import { Substitution } from './substitution.ts'
import { isWiderOrSame, isWild } from './type-relations.ts'

/** The most errors that are reported, each with its text. */
const maxErrors = 100

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
  readonly #errors: CompileError[] = []
  #furtherErrors = 0
  readonly #substitution = new Substitution()
  readonly #scope = new Scope()
  readonly #slots: (number | undefined)[] = []
  #fresh = 0
  /** In the arguments of a function whose literals may hold members of different types. */
  #mixing = false

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** The result, with every type variable resolved. */
  finish(expr: Expr): Checked {
    for (const [id, type] of this.#types.entries()) {
      if (type !== undefined) this.#types[id] = this.#substitution.apply(type, true)
    }
    return {
      expr,
      types: this.#types,
      references: this.#references,
      slots: this.#slots,
      errors: this.#errors,
      furtherErrors: this.#furtherErrors,
    }
  }

  /** The type of a node, which is remembered for it. */
  check(expr: Expr): Type {
    const type = this.#typed(expr)
    this.#types[expr.id] = type
    return type
  }

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
        return this.#fold(expr)
      case 'bind':
        return this.#bind(expr)
    }
  }

  /** Reports an error; its type fits everything, so that no others follow from it. */
  #error(at: number, message: string, names?: readonly string[]): Type {
    if (!this.#environment.checked) return types.dynType
    if (this.#errors.length >= maxErrors) this.#furtherErrors++
    else this.#errors.push({ message, start: at, end: at, ...(names && { names }) })
    return types.errorType
  }

  #print(type: Type): string {
    return types.printType(this.#substitution.apply(type, true))
  }

  #undeclared(at: number, name: string, names?: Iterable<string>): Type {
    const { container } = this.#environment
    const text = `undeclared reference to '${name}' (in container '${container}')`
    return this.#error(at, text, names && [...names])
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
    return this.#undeclared(expr.at, expr.name, names)
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
    return expr.optional || operand.kind === 'optional' ? optional(field) : field
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
          return this.#mismatch(at, operand.key, types.stringType)
        }
        return operand.value
      case 'object': {
        const found = operand.field(field)
        if (found !== undefined) return found.type
        return this.#error(at, `undefined field '${field}'`, operand.fields())
      }
      default:
        return this.#error(at, `type '${this.#print(operand)}' does not support field selection`)
    }
  }

  #mismatch(at: number, wanted: Type, found: Type): Type {
    const text = `expected type '${this.#print(wanted)}' but found '${this.#print(found)}'`
    return this.#error(at, text)
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
        return this.#undeclared(expr.at, name, this.#environment.functions.keys())
      }
      return this.#resolve(expr, overloads, [receiver, ...args], true)
    }
    if (name === '_&&_' || name === '_||_') return this.#logical(expr)
    const rooted = name.startsWith('.')
    const found = this.#function(rooted ? name.slice(1) : name, rooted)
    const args = this.#arguments(expr.args, found)
    if (found === undefined) {
      return this.#undeclared(expr.at, name, this.#environment.functions.keys())
    }
    return this.#resolve(expr, found, args, false)
  }

  #function(name: string, rooted: boolean): readonly Overload[] | undefined {
    for (const candidate of this.#candidates(name, rooted)) {
      const overloads = this.#environment.functions.get(candidate)
      if (overloads !== undefined) return overloads
    }
    return undefined
  }

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

  #logical(expr: Call): Type {
    const args = expr.args.map((arg) => this.check(arg))
    const wrong = args.findIndex((type) => !this.#substitution.assign(types.boolType, type))
    if (wrong < 0) return types.boolType
    const pair = wrong === 0 ? [args[0], args[1]] : [types.boolType, args[wrong]]
    return this.#noOverload(
      expr,
      pair.map((type) => type ?? types.dynType),
      false,
    )
  }

  #noOverload(
    { at, name }: { at: number; name: string },
    args: readonly Type[],
    member: boolean,
  ): Type {
    const texts = args.map((type) => this.#print(type))
    const [first, ...rest] = texts
    const applied = member ? `${first}.(${rest.join(', ')})` : `(${texts.join(', ')})`
    return this.#error(at, `found no matching overload for '${name}' applied to '${applied}'`)
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
      return this.#noOverload(expr, args, member)
    }
    this.#references[expr.id] = { is: 'function', overloads: fitting, member }
    this.#validate(expr, fitting, member)
    return result
  }

  /** Lets the one overload that fits check its constant arguments. */
  #validate(expr: Call, overloads: readonly Overload[], member: boolean): void {
    if (overloads.length !== 1) return
    const args = member && expr.target !== undefined ? [expr.target, ...expr.args] : expr.args
    const message = overloads[0]?.validate?.(args.map(constant))
    if (message !== undefined) this.#error(args[args.length - 1]?.at ?? expr.at, message)
  }

  /** The common type of two members of a literal. */
  #join(at: number, joined: Type | undefined, type: Type): Type {
    if (joined === undefined) return type
    if (this.#substitution.assign(joined, type)) {
      return isWiderOrSame(joined, type) ? joined : type
    }
    const homogeneous = this.#environment.homogeneousLiterals && !this.#mixing
    return homogeneous ? this.#mismatch(at, joined, type) : types.dynType
  }

  /** The type of an entry's value, out of its optional. */
  #entry(expr: Expr, isOptional: boolean): Type {
    const type = this.#substitution.apply(this.check(expr), false)
    if (!isOptional) return type
    if (type.kind === 'optional') return type.element
    return isWild(type) ? type : this.#mismatch(expr.at, optional(type), type)
  }

  #list(expr: ListExpr): Type {
    let joined: Type | undefined
    for (const [index, item] of expr.items.entries()) {
      joined = this.#join(item.at, joined, this.#entry(item, expr.optional[index] ?? false))
    }
    return types.listType(joined ?? this.#variable())
  }

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
    if (known === undefined) return this.#undeclared(expr.at, expr.name)
    return this.#error(expr.at, `'${known}' is not a message type`)
  }

  /** The macro's variables are in scope of its condition and body only. */
  #fold(expr: Fold): Type {
    const range = this.#substitution.apply(this.check(expr.range), false)
    const [first, second] = this.#iterated(expr, range)
    const depth = this.#scope.depth
    this.#slots[expr.id] = depth
    this.#scope.declare(expr.variable, first)
    if (expr.second !== undefined) this.#scope.declare(expr.second, second)
    if (expr.condition !== undefined) {
      this.#predicate(expr.condition, this.check(expr.condition), '_?_:_')
    }
    const body = this.check(expr.body)
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
        const text = `expression of type '${this.#print(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
        const wrong = this.#error(expr.range.at, text)
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
        return isWild(entry) ? map : this.#mismatch(expr.body.at, map, entry)
      }
    }
  }

  /** The body of a macro that decides must be a bool. */
  #predicate(expr: Expr, type: Type, operator: string): Type {
    if (this.#substitution.assign(types.boolType, type)) return types.boolType
    const args =
      operator === '_?_:_' ? [type, types.dynType, types.dynType] : [types.boolType, type]
    return this.#noOverload({ at: expr.at, name: operator }, args, false)
  }

  /** The bound variable is in scope of the body only. */
  #bind(expr: Bind): Type {
    const value = this.#substitution.apply(this.check(expr.value), false)
    const bound = expr.over === 'value' ? value : this.#unwrapped(expr, value)
    const depth = this.#scope.depth
    this.#slots[expr.id] = depth
    this.#scope.declare(expr.variable, bound)
    const body = this.#substitution.apply(this.check(expr.body), false)
    this.#scope.leave(depth)
    if (expr.over === 'optMap') return types.optionalType(body)
    if (expr.over === 'value' || body.kind === 'optional' || isWild(body)) return body
    return this.#mismatch(expr.body.at, optional(body), body)
  }

  #unwrapped(expr: Bind, value: Type): Type {
    if (value.kind === 'optional') return value.element
    if (isWild(value)) return types.dynType
    return this.#noOverload({ at: expr.at, name: 'hasValue' }, [value], true)
  }
}

function optional(type: Type): Type {
  return type.kind === 'optional' ? type : types.optionalType(type)
}

function literalType({ value }: Literal): Type {
  return typeOf(value)
}
