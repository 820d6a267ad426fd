import { evaluationStopped, spendSteps } from '../cost/step-limit.ts'
import {
  dynType,
  listType,
  mapType,
  optionalType,
  type ParameterType,
  type Type,
  typeType,
} from '../types/types.ts'

/** What a step with a part of a type takes, and how deep such parts may nest: types are as large as who writes likes. */
const stepsPerPart = 3
const deepest = 1000

/** Takes the step at a depth; gives the depth below. */
function below(depth: number): number {
  spendSteps(stepsPerPart)
  if (depth > deepest) throw evaluationStopped
  return depth + 1
}

/** What type variables stand for so far. A failed attempt leaves no trace. */
export class Substitution {
  readonly #bound = new Map<string, Type>()
  #trail: [name: string, before: Type | undefined][] = []

  /** Whether values of `from` may stand where each of `to` is wanted; binds type variables on the way. */
  assignAll(to: readonly Type[], from: readonly Type[]): boolean {
    this.#trail = []
    const fits =
      to.length === from.length &&
      from.every((type, index) => this.#assign(type, to[index] ?? dynType, 0))
    if (!fits) this.#undo()
    return fits
  }

  /** Whether a value of `from` may stand where `to` is wanted. */
  assign(to: Type, from: Type): boolean {
    return this.assignAll([to], [from])
  }

  /** The type with everything known put in; variables that nothing is known of become dyn when `final`. */
  apply(type: Type, final: boolean): Type {
    return this.#apply(type, final, 0)
  }

  #apply(type: Type, final: boolean, depth: number): Type {
    const next = below(depth)
    switch (type.kind) {
      case 'parameter': {
        const known = this.#known(type)
        if (known.kind !== 'parameter') return this.#apply(known, final, next)
        return final ? dynType : known
      }
      case 'list': {
        const element = this.#apply(type.element, final, next)
        return element === type.element ? type : listType(element)
      }
      case 'optional': {
        const element = this.#apply(type.element, final, next)
        return element === type.element ? type : optionalType(element)
      }
      case 'map': {
        const key = this.#apply(type.key, final, next)
        const value = this.#apply(type.value, final, next)
        return key === type.key && value === type.value ? type : mapType(key, value)
      }
      case 'type': {
        const of = this.#apply(type.of, final, next)
        return of === type.of ? type : typeType(of)
      }
      default:
        return type
    }
  }

  /** What a variable stands for; itself, or the last of those that stand for each other, if nothing is known of it. */
  #known(variable: ParameterType): Type {
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
      const answer = this.#substitute(a, b, next)
      if (answer !== 'maybe') return answer
    }
    if (a.kind === 'parameter') return this.#substitute(b, a, next) === true
    if (isWild(a) || isWild(b)) return true
    if (a.kind === 'null') return isNullable(b)
    if (b.kind === 'null') return isNullable(a)
    if (a.kind === 'list' && b.kind === 'list') return this.#assign(a.element, b.element, next)
    if (a.kind === 'optional' && b.kind === 'optional') {
      return this.#assign(a.element, b.element, next)
    }
    if (a.kind === 'map' && b.kind === 'map') {
      return this.#assign(a.key, b.key, next) && this.#assign(a.value, b.value, next)
    }
    if (a.kind === 'object' || a.kind === 'opaque') return b.kind === a.kind && a.name === b.name
    return a.kind === b.kind
  }

  /** True: `type` fits what the variable stands for. False: it stands for something else. 'maybe': it cannot be bound. */
  #substitute(type: Type, variable: ParameterType, depth: number): boolean | 'maybe' {
    if (type.kind === 'parameter' && type.name === variable.name) return true
    const known = this.#bound.get(variable.name)
    if (known === undefined) {
      if (this.#mentions(type, variable.name, depth)) return 'maybe'
      this.#bind(variable.name, type)
      return true
    }
    if (sameType(type, known)) return true
    if (!this.#assign(type, known, depth)) return false
    const wider = isWiderOrSame(type, known) ? type : known
    if (!this.#mentions(wider, variable.name, depth)) this.#bind(variable.name, wider)
    return true
  }

  #bind(name: string, type: Type): void {
    this.#trail.push([name, this.#bound.get(name)])
    this.#bound.set(name, type)
  }

  #mentions(type: Type, name: string, depth: number): boolean {
    const next = below(depth)
    switch (type.kind) {
      case 'parameter': {
        if (type.name === name) return true
        const bound = this.#bound.get(type.name)
        return bound !== undefined && this.#mentions(bound, name, next)
      }
      case 'list':
      case 'optional':
        return this.#mentions(type.element, name, next)
      case 'map':
        return this.#mentions(type.key, name, next) || this.#mentions(type.value, name, next)
      case 'type':
        return this.#mentions(type.of, name, next)
      default:
        return false
    }
  }
}

/** True for the types that fit everything. */
export function isWild(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'error'
}

function isNullable(type: Type): boolean {
  switch (type.kind) {
    case 'null':
    case 'object':
    case 'opaque':
    case 'optional':
    case 'duration':
    case 'timestamp':
      return true
    default:
      return false
  }
}

/** Equality of types by structure. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true
  spendSteps(stepsPerPart)
  switch (a.kind) {
    case 'list':
    case 'optional':
      return b.kind === a.kind && sameType(a.element, b.element)
    case 'map':
      return b.kind === 'map' && sameType(a.key, b.key) && sameType(a.value, b.value)
    case 'type':
      return b.kind === 'type' && sameType(a.of, b.of)
    case 'parameter':
    case 'object':
    case 'opaque':
      return b.kind === a.kind && a.name === b.name
    default:
      return a.kind === b.kind
  }
}

/** Whether `a` says no more than `b` does. */
export function isWiderOrSame(a: Type, b: Type): boolean {
  spendSteps(stepsPerPart)
  if (a.kind === 'dyn' || a.kind === 'parameter') return true
  if (b.kind === 'dyn' || b.kind === 'parameter') return false
  if (b.kind === 'null') return isNullable(a)
  switch (a.kind) {
    case 'list':
    case 'optional':
      return b.kind === a.kind && isWiderOrSame(a.element, b.element)
    case 'map':
      return b.kind === 'map' && isWiderOrSame(a.key, b.key) && isWiderOrSame(a.value, b.value)
    case 'type':
      return b.kind === 'type'
    default:
      return sameType(a, b)
  }
}

/** The type with each type parameter of a declaration replaced by a variable of this number. */
export function freshen(type: Type, number: number): Type {
  switch (type.kind) {
    case 'parameter':
      return { kind: 'parameter', name: `${type.name}#${number}` }
    case 'list':
      return listType(freshen(type.element, number))
    case 'optional':
      return optionalType(freshen(type.element, number))
    case 'map':
      return mapType(freshen(type.key, number), freshen(type.value, number))
    case 'type':
      return typeType(freshen(type.of, number))
    default:
      return type
  }
}

/** Whether a declared type has parameters. */
export function isGeneric(type: Type): boolean {
  switch (type.kind) {
    case 'parameter':
      return true
    case 'list':
    case 'optional':
      return isGeneric(type.element)
    case 'map':
      return isGeneric(type.key) || isGeneric(type.value)
    case 'type':
      return isGeneric(type.of)
    default:
      return false
  }
}
