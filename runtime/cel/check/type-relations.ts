/** How types compare without binding type variables. Each comparison takes steps: a type can be far larger than its text. */
import { spendSteps } from '../limits/step-limit.ts'
import { listType, mapType, optionalType, type Type, typeType } from '../types/types.ts'

/** The steps of looking at one part of a type. */
export const stepsPerPart = 3

/** True for the types that fit every other: `dyn`, and the type of an expression that has an error already. */
export function isWild(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'error'
}

/** True for the types whose values may be null. */
export function isNullable(type: Type): boolean {
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

/** True if both types have the same structure; object and opaque types are the same if their names are. */
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

/** True if every value of `b` is one of `a`: `a` is `b`, or says less. */
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

/** The type with `convert` applied to each of its parts; the type itself if none changes. */
export function mapParts(type: Type, convert: (part: Type) => Type): Type {
  switch (type.kind) {
    case 'list': {
      const element = convert(type.element)
      return element === type.element ? type : listType(element)
    }
    case 'optional': {
      const element = convert(type.element)
      return element === type.element ? type : optionalType(element)
    }
    case 'map': {
      const [key, value] = [convert(type.key), convert(type.value)]
      return key === type.key && value === type.value ? type : mapType(key, value)
    }
    case 'type': {
      const of = convert(type.of)
      return of === type.of ? type : typeType(of)
    }
    default:
      return type
  }
}

/** True if `test` holds for one of the parts of a type. */
export function somePart(type: Type, test: (part: Type) => boolean): boolean {
  switch (type.kind) {
    case 'list':
    case 'optional':
      return test(type.element)
    case 'map':
      return test(type.key) || test(type.value)
    case 'type':
      return test(type.of)
    default:
      return false
  }
}

/** The type with each type parameter of a declaration replaced by a variable of this number. */
export function freshen(type: Type, number: number): Type {
  if (type.kind === 'parameter') return { kind: 'parameter', name: `${type.name}#${number}` }
  return mapParts(type, (part) => freshen(part, number))
}

/** True for a declared type that has type parameters. */
export function isGeneric(type: Type): boolean {
  return type.kind === 'parameter' || somePart(type, isGeneric)
}
