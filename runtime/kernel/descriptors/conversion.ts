/**
 * Conversion between two versions of a kind, as steps that the schema of the newer version declares and that run in both
 * directions. The generator's lint proves that a round trip loses nothing; this file runs the steps.
 *
 *  1. Objects are plain data and never changed in place; what no step mentions is kept as it is.
 *  2. The caller sets `apiVersion` and reads the result by the reader of the target version.
 *  3. A value that one version has no field for is kept there in an annotation, and restored from it on the way back.
 */
import { invariant } from '../errors/invariant.ts'

/** The path of a value: property names, and `*` for every item of a list. */
export type FieldPath = readonly string[]

/** The JSON type by which a step chooses between fields. */
export type SplitType = 'boolean' | 'number' | 'string'

/** One step of a conversion; `at` is the path of the object that its other paths start from. */
export type ConversionStep =
  /** A field that has another name or parent. */
  | {
      readonly is: 'move'
      readonly at: FieldPath
      readonly older: FieldPath
      readonly newer: FieldPath
    }
  /** A field that is one of several in the newer version, by the JSON type of its value. */
  | {
      readonly is: 'split'
      readonly at: FieldPath
      readonly older: FieldPath
      readonly newer: { readonly [T in SplitType]?: FieldPath }
    }
  /**
   * A field whose absence in the older version means `value` in the newer one. With `zero`, zero in the older version means
   * that, too; a zero of the newer version is marked in the older one by the annotation `zero`.
   */
  | {
      readonly is: 'default'
      readonly at: FieldPath
      readonly path: FieldPath
      readonly value: unknown
      readonly zero?: string
    }
  /** A field that only `side` has; the other version keeps it in an annotation, as JSON. */
  | {
      readonly is: 'drop'
      readonly side: ConversionSide
      readonly path: FieldPath
      readonly annotation: string
    }
  /** What no other step can express: a pair of functions that the runtime knows by this name. */
  | { readonly is: 'call'; readonly name: string }

/** The steps from the older version to the newer one, in order. */
export type Conversion = readonly ConversionStep[]
/** The older or the newer version of a conversion. */
export type ConversionSide = 'older' | 'newer'

type PlainObject = Readonly<Record<string, unknown>>

/** A conversion by hand-written functions, one for each direction. */
export interface NamedConversion {
  readonly newer: (older: PlainObject) => PlainObject
  readonly older: (newer: PlainObject) => PlainObject
}

/** Converts an object to the version `to`. Steps run in order towards the newer version, in reverse towards the older one. */
export function convert(
  conversion: Conversion,
  object: PlainObject,
  to: ConversionSide,
  named: (name: string) => NamedConversion = unknownName,
): PlainObject {
  const steps = to === 'newer' ? conversion : [...conversion].reverse()
  return steps.reduce((value, step) => stepTo(step, value, to, named), object)
}

/** Which annotations `side` has for fields of the other version, each with the path of its field. */
export function annotatedFields(
  conversion: Conversion,
  side: ConversionSide,
): readonly { readonly key: string; readonly path: FieldPath }[] {
  return conversion.flatMap((step) => {
    if (step.is === 'drop' && step.side !== side) return [{ key: step.annotation, path: step.path }]
    if (step.is !== 'default' || step.zero === undefined || side === 'newer') return []
    return [{ key: step.zero, path: [...step.at, ...step.path] }]
  })
}

/** The object with an annotation as another one has it, or without it. */
export function withAnnotationOf<T extends object>(object: T, other: object, key: string): T {
  const text = annotation(other as PlainObject, key)
  if (annotation(object as PlainObject, key) === text) return object
  return annotated(object as PlainObject, key, text) as T
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
  invariant(false, `there is no conversion called ${name}`)
}

/** Applies `change` to every object at `path`. Gives the same object if there is none. */
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

/** A default of a nested field does not create the object around it. */
function hasParent(value: PlainObject, path: FieldPath): boolean {
  return path.length === 1 || isPlainObject(at(value, path.slice(0, -1)))
}

type Drop = Extract<ConversionStep, { is: 'drop' }>

/** A null counts as absent: a reader that keeps nulls restores it. */
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

/** Users can edit annotations: a text that is not JSON is left as it is. */
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

/** The object without the field at `path`, and without objects around it that this empties. */
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
