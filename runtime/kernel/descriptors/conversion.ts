/**
 * Conversion between two versions of a kind, as steps that the schema of the newer version declares and that run in both
 * directions. The generator's lint proves that nothing is lost; here the steps are only carried out.
 *
 *  1. Objects come and go as plain data; nothing is changed in place, and what no step names is kept as it is.
 *  2. `apiVersion` is the caller's business, and so is the canonical form: the target version's reader gives it.
 *  3. What one version has no place for stands in an annotation of that version, and leaves it again on the way back.
 */
import { invariant } from '../errors/invariant.ts'

/** The way to a value: property names, and `*` for every item of a list. */
export type FieldPath = readonly string[]

/** What a value may be where it goes to different places by its JSON type. */
export type SplitType = 'boolean' | 'number' | 'string'

export type ConversionStep =
  /** A value that has another name, or another place: both paths begin below `at`. */
  | {
      readonly is: 'move'
      readonly at: FieldPath
      readonly older: FieldPath
      readonly newer: FieldPath
    }
  /** A value whose place in the newer version depends on its JSON type. */
  | {
      readonly is: 'split'
      readonly at: FieldPath
      readonly older: FieldPath
      readonly newer: { readonly [T in SplitType]?: FieldPath }
    }
  /**
   * A value that is absent in the older version is `value` in the newer one. With `zero`, zero is absent too in the older
   * version, and a zero that is meant is marked there by that annotation.
   */
  | {
      readonly is: 'default'
      readonly at: FieldPath
      readonly path: FieldPath
      readonly value: unknown
      readonly zero?: string
    }
  /** A value that only `side` has a place for; the other one keeps it in an annotation, as JSON text. */
  | {
      readonly is: 'drop'
      readonly side: ConversionSide
      readonly path: FieldPath
      readonly annotation: string
    }
  /** What no other step can say: a pair of functions that the runtime knows by this name. */
  | { readonly is: 'call'; readonly name: string }

export type Conversion = readonly ConversionStep[]
export type ConversionSide = 'older' | 'newer'

type PlainObject = Readonly<Record<string, unknown>>

/** A conversion that is written by hand, one function for each direction. */
export interface NamedConversion {
  readonly newer: (older: PlainObject) => PlainObject
  readonly older: (newer: PlainObject) => PlainObject
}

/** The object as the version on side `to`. Steps run in order on the way up, and in reverse order on the way down. */
export function convert(
  conversion: Conversion,
  object: PlainObject,
  to: ConversionSide,
  named: (name: string) => NamedConversion = unknownName,
): PlainObject {
  const steps = to === 'newer' ? conversion : [...conversion].reverse()
  return steps.reduce((value, step) => stepTo(step, value, to, named), object)
}

function stepTo(
  step: ConversionStep,
  object: PlainObject,
  to: ConversionSide,
  named: (name: string) => NamedConversion,
): PlainObject {
  switch (step.is) {
    case 'move':
      return within(object, step.at, (value) => moved(value, step[other(to)], step[to]))
    case 'split':
      return within(object, step.at, (value) =>
        to === 'newer' ? splitUp(value, step) : splitDown(value, step),
      )
    case 'default':
      return to === 'newer' ? defaultUp(object, step) : defaultDown(object, step)
    case 'drop':
      return step.side === to ? restored(object, step) : kept(object, step)
    case 'call':
      return named(step.name)[to](object)
  }
}

function other(side: ConversionSide): ConversionSide {
  return side === 'newer' ? 'older' : 'newer'
}

function unknownName(name: string): NamedConversion {
  invariant(false, `nobody knows the conversion ${name}`)
}

/** Changes everything that `path` leads to. The same object if nothing is there. */
function within(
  value: PlainObject,
  path: FieldPath,
  change: (value: PlainObject) => PlainObject,
): PlainObject {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  const inner = value[step]
  const [next, ...below] = rest
  if (next === '*') {
    if (!Array.isArray(inner)) return value
    return put(
      value,
      [step],
      inner.map((item) => (isPlainObject(item) ? within(item, below, change) : item)),
    )
  }
  return isPlainObject(inner) ? put(value, [step], within(inner, rest, change)) : value
}

function moved(value: PlainObject, from: FieldPath, to: FieldPath): PlainObject {
  const found = at(value, from)
  return found === undefined ? value : put(without(value, from), to, found)
}

type Split = Extract<ConversionStep, { is: 'split' }>

function splitUp(value: PlainObject, { older, newer }: Split): PlainObject {
  const found = at(value, older)
  const to = newer[typeof found as SplitType]
  return to === undefined ? value : put(without(value, older), to, found)
}

function splitDown(value: PlainObject, { older, newer }: Split): PlainObject {
  const from = Object.values(newer).find((path) => at(value, path) !== undefined)
  return from === undefined ? value : moved(value, from, older)
}

type Default = Extract<ConversionStep, { is: 'default' }>

function defaultUp(object: PlainObject, { at: place, path, value, zero }: Default): PlainObject {
  const marked = zero !== undefined && annotation(object, zero) !== undefined
  const filled = within(object, place, (inner) => {
    const found = at(inner, path)
    const absent = found === undefined || (zero !== undefined && found === 0 && !marked)
    return absent && hasParent(inner, path) ? put(inner, path, marked ? 0 : value) : inner
  })
  return marked ? annotated(filled, zero, undefined) : filled
}

function defaultDown(object: PlainObject, { at: place, path, zero }: Default): PlainObject {
  if (zero === undefined) return object
  return at(object, [...place, ...path]) === 0 ? annotated(object, zero, '') : object
}

/** A default describes what is inside a value; it never brings the value into being. */
function hasParent(value: PlainObject, path: FieldPath): boolean {
  return path.length === 1 || isPlainObject(at(value, path.slice(0, -1)))
}

type Drop = Extract<ConversionStep, { is: 'drop' }>

/** A null is no value: a reader that keeps one puts it back. */
function kept(object: PlainObject, { path, annotation: key }: Drop): PlainObject {
  const found = at(object, path)
  if (found === undefined) return object
  if (found === null) return without(object, path)
  return annotated(without(object, path), key, JSON.stringify(found))
}

function restored(object: PlainObject, { path, annotation: key }: Drop): PlainObject {
  const text = annotation(object, key)
  const value = text === undefined ? undefined : parsed(text)
  return value === undefined ? object : put(annotated(object, key, undefined), path, value)
}

/** People may edit annotations: text that is no JSON stays where it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function annotation(object: PlainObject, key: string): string | undefined {
  const annotations = at(object, ['metadata', 'annotations'])
  if (!isPlainObject(annotations) || !Object.hasOwn(annotations, key)) return undefined
  const text = annotations[key]
  return typeof text === 'string' ? text : undefined
}

function annotated(object: PlainObject, key: string, text: string | undefined): PlainObject {
  const path = ['metadata', 'annotations']
  const { [key]: _, ...rest } = (at(object, path) ?? {}) as PlainObject
  if (text !== undefined) return put(object, path, { ...rest, [key]: text })
  return Object.keys(rest).length === 0 ? without(object, path) : put(object, path, rest)
}

function at(value: unknown, path: FieldPath): unknown {
  let found = value
  for (const step of path) {
    if (!isPlainObject(found) || !Object.hasOwn(found, step)) return undefined
    found = found[step]
  }
  return found
}

function put(value: PlainObject, path: FieldPath, found: unknown): PlainObject {
  const [step, ...rest] = path
  if (step === undefined) return value
  const inner = value[step]
  return {
    ...value,
    [step]: rest.length === 0 ? found : put(isPlainObject(inner) ? inner : {}, rest, found),
  }
}

/** The value without what `path` leads to, and without the objects on the way that are empty then. */
function without(value: PlainObject, path: FieldPath): PlainObject {
  const [step, ...rest] = path
  if (step === undefined || !Object.hasOwn(value, step)) return value
  const { [step]: inner, ...others } = value
  if (rest.length === 0) return others
  const left = isPlainObject(inner) ? without(inner, rest) : {}
  return Object.keys(left).length === 0 ? others : { ...value, [step]: left }
}

function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
