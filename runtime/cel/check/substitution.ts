/** Unification: what the type variables of an expression stand for. */
import { evaluationStopped, spendSteps } from '../limits/step-limit.ts'
import { dynType, type ParameterType, type Type } from '../types/types.ts'
import {
  isNullable,
  isWiderOrSame,
  isWild,
  mapParts,
  sameType,
  somePart,
  stepsPerPart,
} from './type-relations.ts'

/** How deep the parts of types may nest. */
const maxDepth = 1000

/** Takes the steps of a part at a depth; the depth of its own parts. */
function below(depth: number): number {
  spendSteps(stepsPerPart)
  if (depth > maxDepth) throw evaluationStopped
  return depth + 1
}

/**
 * What type variables stand for so far. An assignment that fails leaves the variables as they were. Throws
 * `evaluationStopped` when the steps of the compilation are spent, or for types that nest deeper than 1000 parts.
 */
export class Substitution {
  readonly #bound = new Map<string, Type>()
  #trail: [name: string, before: Type | undefined][] = []

  /** True if values of `from` may stand where those of `to` are expected; binds type variables on the way. */
  assignAll(to: readonly Type[], from: readonly Type[]): boolean {
    this.#trail = []
    const fits =
      to.length === from.length &&
      from.every((type, index) => this.#assign(type, to[index] ?? dynType, 0))
    if (!fits) this.#undo()
    return fits
  }

  /** True if a value of `from` may stand where one of `to` is expected; binds type variables on the way. */
  assign(to: Type, from: Type): boolean {
    return this.assignAll([to], [from])
  }

  /** The type with what is known of its variables put in; unknown ones become dyn when `final`. */
  apply(type: Type, final: boolean): Type {
    return this.#apply(type, final, 0)
  }

  #apply(type: Type, final: boolean, depth: number): Type {
    const next = below(depth)
    if (type.kind !== 'parameter') {
      return mapParts(type, (part) => this.#apply(part, final, next))
    }
    const known = this.#resolve(type)
    if (known.kind !== 'parameter') return this.#apply(known, final, next)
    return final ? dynType : known
  }

  /** What a variable stands for; the last of a chain of variables if nothing is known of it. Chains are shortened. */
  #resolve(variable: ParameterType): Type {
    const passed: string[] = []
    let type: Type = variable
    while (type.kind === 'parameter') {
      const bound = this.#bound.get(type.name)
      if (bound === undefined) break
      passed.push(type.name)
      type = bound
    }
    spendSteps(passed.length)
    for (const name of passed.slice(0, -1)) this.#bind(name, type)
    return type
  }

  #undo(): void {
    for (const [name, before] of this.#trail.reverse()) {
      if (before === undefined) this.#bound.delete(name)
      else this.#bound.set(name, before)
    }
  }

  #assign(a: Type, b: Type, depth: number): boolean {
    const next = below(depth)
    if (b.kind === 'parameter') {
      const fits = this.#substitute(a, b, next)
      if (fits !== 'recursive') return fits
    }
    if (a.kind === 'parameter') return this.#substitute(b, a, next) === true
    if (isWild(a) || isWild(b)) return true
    if (a.kind === 'null') return isNullable(b)
    if (b.kind === 'null') return isNullable(a)
    return this.#assignParts(a, b, next)
  }

  #assignParts(a: Type, b: Type, depth: number): boolean {
    switch (a.kind) {
      case 'list':
      case 'optional':
        return b.kind === a.kind && this.#assign(a.element, b.element, depth)
      case 'map':
        return (
          b.kind === 'map' &&
          this.#assign(a.key, b.key, depth) &&
          this.#assign(a.value, b.value, depth)
        )
      case 'object':
      case 'opaque':
        return b.kind === a.kind && a.name === b.name
      default:
        return a.kind === b.kind
    }
  }

  /** True if `type` fits what the variable stands for. `recursive`: the variable cannot be bound, `type` contains it. */
  #substitute(type: Type, variable: ParameterType, depth: number): boolean | 'recursive' {
    const { name } = variable
    if (type.kind === 'parameter' && type.name === name) return true
    const known = this.#bound.get(name)
    if (known === undefined) {
      if (this.#mentions(type, name, depth)) return 'recursive'
      this.#bind(name, type)
      return true
    }
    if (sameType(type, known)) return true
    if (!this.#assign(type, known, depth)) return false
    const wider = isWiderOrSame(type, known) ? type : known
    if (!this.#mentions(wider, name, depth)) this.#bind(name, wider)
    return true
  }

  #bind(name: string, type: Type): void {
    this.#trail.push([name, this.#bound.get(name)])
    this.#bound.set(name, type)
  }

  #mentions(type: Type, name: string, depth: number): boolean {
    const next = below(depth)
    if (type.kind !== 'parameter') {
      return somePart(type, (part) => this.#mentions(part, name, next))
    }
    if (type.name === name) return true
    const bound = this.#bound.get(type.name)
    return bound !== undefined && this.#mentions(bound, name, next)
  }
}
