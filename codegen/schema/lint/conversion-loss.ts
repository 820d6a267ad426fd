/** Finds what a conversion would lose: fields of one version that the other one has no place for. */
import type { Conversion, FieldPath } from '../../../runtime/kernel/descriptors/conversion.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { printPath } from '../build/conversions.ts'
import type { EnumType, Field, NamedType, StructType, Type } from '../named-type.ts'
import type { Position } from '../position.ts'
import type { VersionPair } from './version-pair.ts'

type Types = ReadonlyMap<string, NamedType>

/**
 * Reports every field of either version that is neither in the other one nor named by a step. A `call` step does what
 * no schema can say: where there is one, nothing is reported.
 */
export function checkLoss(steps: Conversion, at: Position, pair: VersionPair): void {
  if (steps.some(({ is }) => is === 'call')) return
  const { older, newer, types, report } = pair
  const handled = handledBy(steps)
  const lost = (side: 'older' | 'newer', path: string): void => {
    const [here, there] = side === 'older' ? [older, newer] : [newer, older]
    const drop = `{ drop: ${path},${side === 'newer' ? ' of: newer,' : ''} annotation: NAME }`
    const remedy = `rename, move or split it, or keep it in an annotation with the step ${drop}`
    const message = `"${path}" of ${apiVersionOf(here)} has no place in ${apiVersionOf(there)}; ${remedy}`
    report(at, 'conversion-loss', message)
  }
  const unlike = (path: string): void => {
    report(at, 'conversion-type', `"${path}" is of different types in the two versions`)
  }
  compare({ is: 'ref', to: older.type }, { is: 'ref', to: newer.type }, [], {
    types,
    handled,
    lost,
    unlike,
    inside: new Set(),
  })
}

/** One comparison: what steps handle, where losses are reported, and the pairs of structs that it is inside of. */
interface Comparison {
  readonly types: Types
  readonly handled: { readonly older: ReadonlySet<string>; readonly newer: ReadonlySet<string> }
  readonly lost: (side: 'older' | 'newer', path: string) => void
  readonly unlike: (path: string) => void
  readonly inside: ReadonlySet<string>
}

/** The paths that steps name, on each side. */
export function handledBy(steps: Conversion): Comparison['handled'] {
  const older = new Set<string>()
  const newer = new Set<string>()
  for (const step of steps) {
    if (step.is === 'move' || step.is === 'split') older.add(printPath([...step.at, ...step.older]))
    if (step.is === 'move') newer.add(printPath([...step.at, ...step.newer]))
    if (step.is === 'split') {
      for (const path of Object.values(step.newer)) newer.add(printPath([...step.at, ...path]))
    }
    if (step.is === 'drop') (step.side === 'older' ? older : newer).add(printPath(step.path))
  }
  return { older, newer }
}

/** Two types are compared by their structs, or else they must be the same. */
function compare(older: Type, newer: Type, path: FieldPath, state: Comparison): void {
  const [a, b] = [structOf(older, state.types), structOf(newer, state.types)]
  if (a !== undefined && b !== undefined) {
    compareStructs(a, b, path, state)
    return
  }
  if (older.is === 'list' && newer.is === 'list') {
    compare(older.items, newer.items, [...path, '*'], state)
    return
  }
  if (!sameType(older, newer, state.types)) state.unlike(printPath(path))
}

/** Recursive types end where a pair of structs is met again. */
function compareStructs(a: StructType, b: StructType, path: FieldPath, state: Comparison): void {
  const both = `${a.id} ${b.id}`
  if (a.id === b.id || state.inside.has(both)) return
  const inner = { ...state, inside: new Set([...state.inside, both]) }
  for (const field of a.fields) {
    const place = [...path, field.name]
    if (state.handled.older.has(printPath(place))) continue
    const other = named(b, field.name)
    if (other !== undefined && !state.handled.newer.has(printPath(place))) {
      compare(field.type, other.type, place, inner)
    } else checkParts('older', field, place, inner)
  }
  for (const field of b.fields) {
    const place = [...path, field.name]
    if (state.handled.newer.has(printPath(place)) || named(a, field.name)) continue
    checkParts('newer', field, place, inner)
  }
}

/** A struct that only one version has is no loss if steps name everything in it. */
function checkParts(
  side: 'older' | 'newer',
  field: Field,
  path: FieldPath,
  state: Comparison,
): void {
  const text = printPath(path)
  const handled = [...state.handled[side]]
  if (handled.includes(text)) return
  const type = field.type.is === 'list' ? field.type.items : field.type
  const struct = structOf(type, state.types)
  const below = field.type.is === 'list' ? [...path, '*'] : path
  if (struct === undefined || !handled.some((each) => each.startsWith(`${text}.`))) {
    state.lost(side, text)
    return
  }
  for (const each of struct.fields) checkParts(side, each, [...below, each.name], state)
}

function named({ fields }: StructType, name: string): Field | undefined {
  return fields.find((field) => field.name === name)
}

function structOf(type: Type, types: Types): StructType | undefined {
  const found = type.is === 'ref' ? types.get(type.to) : undefined
  return found?.is === 'struct' ? found : undefined
}

/**
 * True if every value of one type is a value of the other. Structs are the same if their names are: their fields are
 * compared apart.
 */
export function sameType(a: Type, b: Type, types: Types): boolean {
  if (a.is === 'list' && b.is === 'list') return sameType(a.items, b.items, types)
  if (a.is === 'map' && b.is === 'map') return sameType(a.values, b.values, types)
  if (a.is === 'ref' && b.is === 'ref') return a.to === b.to || sameNamed(a.to, b.to, types)
  const openText = (type: Type): boolean => type.is === 'string' || isOpen(type, types)
  return (a.is === b.is && a.is !== 'ref') || (openText(a) && openText(b))
}

/**
 * Enums are compared by their values, scalars only by being scalars, structs and unions by name.
 */
function sameNamed(a: string, b: string, types: Types): boolean {
  const [one, two] = [types.get(a), types.get(b)]
  if (one === undefined || two === undefined || one.is !== two.is) return false
  if (one.is === 'enum') return sameValues(one, two as EnumType)
  return one.is === 'scalar' || one.name === two.name
}

/** The order of values does not matter. All open sets have the same values: any text. */
function sameValues(a: EnumType, b: EnumType): boolean {
  if (!a.closed && !b.closed) return true
  return a.closed === b.closed && [...a.values].sort().join() === [...b.values].sort().join()
}

/** True for an open set: any text is a value of it. */
function isOpen(type: Type, types: Types): boolean {
  const found = type.is === 'ref' ? types.get(type.to) : undefined
  return found?.is === 'enum' && !found.closed
}
