/** Emits the expression that reads one field's value. */
import type {
  Field,
  NumberBounds,
  StringBounds,
  StructType,
  Type,
} from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { literal } from '../code/literal.ts'
import { lowerFirst, quote, upperFirst } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { zeroOf } from '../model/zeros.ts'
import { isClusterMetadata } from '../types/object-metadata.ts'
import { typeText } from '../types/types.ts'

/** Constants of a module that its readers use: bounded readers, sets of values. Each text is declared once. */
export interface HoistedConstants {
  readonly lines: readonly string[]
  /** The name of a constant with this text; `wish` is taken unless another constant has it. */
  name(wish: string, text: string, type?: string): string
}

/** Collects the constants of one module. */
export function hoistedConstants(): HoistedConstants {
  const lines: string[] = []
  const names = new Map<string, string>()
  return {
    lines,
    name(wish, text, type) {
      const known = names.get(text)
      if (known !== undefined) return known
      const taken = new Set(names.values())
      let name = wish
      for (let next = 2; taken.has(name); next++) name = `${wish}${next}`
      names.set(text, name)
      lines.push(`const ${name}${type === undefined ? '' : `: ${type}`} = ${text}`)
      return name
    },
  }
}

/** The expression that reads a field; of one that is not validated, the errors of reading it are dropped. */
export function fieldReader(
  field: Field,
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): string {
  const read = validatingReader(field, struct, model, imports, hoisted)
  if (field.unvalidated) return `r.unvalidated(report, report.errors.length, ${read})`
  if (!field.errorsAtList) return read
  return `r.toldAt(report, report.errors.length, ${read}, ${quote(field.name)})`
}

/**
 * The expression that reads a field; `value` and `report` are in scope where it stands.
 * A list or map passes through the checks that its schema asks for, from the inside out:
 *
 *   r.count(r.keyed(r.list(value, report, 'ports', readPort), report, 'ports', ['name']), ...)
 *
 * Where the zero value means absent and a check would refuse it, it is read as undefined.
 */
function validatingReader(
  field: Field,
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): string {
  const type = field.type
  const name = quote(field.name)
  const read = fieldType(field, struct, model, imports, hoisted)
  if (type.is === 'list') return listReader(field, read.call('value', name))
  if (type.is === 'map') {
    const map = read.call('value', name)
    return orNull(field, field.precision === undefined ? map : `r.roundedUpToMilli(${map})`)
  }
  if (model.struct(type) !== undefined) {
    const text = `r.struct(value, report, ${name}, ${read.item})`
    if (!isClusterMetadata(field, struct, model)) return text
    return `${text} as ${imports.type(struct)}[${name}] | undefined`
  }
  const absent = field.zero === 'omit' || (field.zero === 'keep' && field.default !== undefined)
  const checked = absent && isChecked(type, model)
  if (!checked) return read.call('value', name)
  return `value === ${literal(zeroOf(type, model))} ? undefined : ${read.call('value', name)}`
}

/** The reader of a field's type; one that must not be empty says so itself. */
function fieldType(
  field: Field,
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): Reader {
  const { missing, pointer } = field
  const type = refusing(field)
  const read = readerText(type, model, imports, hoisted, wishOf(field, struct))
  if (missing === undefined || pointer || !isScalar(type, model)) return read
  const call = (value: string, name: string): string =>
    `r.present(${value}, report, ${name}, ${read.item}, ${quote(missing)})`
  return { item: read.item, call }
}

/** A number that says of itself why it is refused when it is out of bounds. */
function refusing({ type, refusal, refusalAbove }: Field): Type {
  if (type.is !== 'integer' && type.is !== 'number') return type
  const texts = { ...(refusal && { refusal }), ...(refusalAbove && { refusalAbove }) }
  if (Object.keys(texts).length === 0) return type
  return { ...type, bounds: { ...type.bounds, ...texts } as NumberBounds }
}

/** True for a value without parts. */
function isScalar(type: Type, model: Model): boolean {
  return type.is !== 'list' && type.is !== 'map' && model.struct(type) === undefined
}

/**
 * The expression that judges the zero value of a field that may be absent; undefined if nothing could be said of it.
 *
 *     readConditionStatus('', report, 'status')
 */
export function zeroCheck(
  field: Field,
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): string | undefined {
  const name = quote(field.name)
  if (field.type.is === 'list') {
    return needsItems(field) ? counted(field, '[]') : undefined
  }
  if (!isScalar(field.type, model)) return undefined
  if (field.missing === undefined && !isChecked(field.type, model)) return undefined
  const zero = zeroOf(field.type, model)
  if (zero === null) return undefined
  return fieldType(field, struct, model, imports, hoisted).call(literal(zero), name)
}

function needsItems({ type, missing }: Field): boolean {
  return missing !== undefined || (type.is === 'list' && (type.minItems ?? 0) > 0)
}

/** The expression of a list with its bounds checked. */
function counted({ name, type, missing }: Field, list: string): string {
  const { minItems, maxItems } = type as Type & { is: 'list' }
  if (minItems === undefined && maxItems === undefined && missing === undefined) return list
  const min = minItems ?? (missing === undefined ? 0 : 1)
  const detail = missing === undefined ? '' : `, ${quote(missing)}`
  return `r.count(${list}, report, ${quote(name)}, ${min}, ${maxItems ?? 'Number.POSITIVE_INFINITY'}${detail})`
}

/**
 * A set refuses equal items, a map list items with equal keys, unless the schema allows
 * duplicates.
 */
function listReader(field: Field, read: string): string {
  const name = quote(field.name)
  let text = read
  if (field.list === 'set' && field.duplicates !== true) text = `r.set(${text}, report, ${name})`
  const unique = field.list === 'map' && field.duplicates !== true
  if (unique) text = `r.keyed(${text}, report, ${name}, ${literal(field.keys ?? [])})`
  return orNull(field, counted(field, text))
}

/**
 * A required list or map that was sent as null is present, and is written as null. Where absent is the same as empty, null
 * is absent.
 */
function orNull(field: Field, text: string): string {
  return field.required && !field.absentIsZero ? `value === null ? null : ${text}` : text
}

/** The two forms in which the reader of a type is used. */
interface Reader {
  /** An expression of type `r.FieldReader`, or a struct's reader. */
  readonly item: string
  /** A call that reads the expression `value`; `name` is the expression of the field's name. */
  call(value: string, name: string): string
}

/** A reader that is an expression of type `r.FieldReader`. */
function plain(item: string): Reader {
  return { item, call: (value, name) => `${item}(${value}, report, ${name})` }
}

/** The reader of a type on its own, as an expression of type `r.FieldReader`; of a struct, the struct's reader. */
export function typeReader(
  type: Type,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
  wish: string,
): string {
  return readerText(type, model, imports, hoisted, wish).item
}

/**
 * Lists of lists nest: the item reader of the outer one is a function that calls the inner one's.
 */
function readerText(
  type: Type,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
  wish: string,
): Reader {
  switch (type.is) {
    case 'string':
      return plain(stringReader(type, hoisted, wish))
    case 'integer':
      return plain(bounded(`r.${type.format}`, type.bounds, hoisted, wish))
    case 'number':
      return plain(bounded('r.number', type.bounds, hoisted, wish))
    case 'boolean':
      return plain('r.bool')
    case 'ref':
      return plain(imports.reader(model.type(type.to)))
    case 'list':
    case 'map':
      return collection(
        type,
        model,
        imports,
        readerText(inner(type), model, imports, hoisted, wish),
      )
  }
}

function inner(type: Type & { is: 'list' | 'map' }): Type {
  return type.is === 'list' ? type.items : type.values
}

/**
 * The reader of a list or a map: a null item is read as the zero value of its type.
 * `null` among strings is read as `''`, among numbers as 0, among times and lists as itself; a struct has no such zero, its
 * reader decides. The zero of an enum or of what has none but null needs a cast, since it is no value of the type.
 */
function collection(
  type: Type & { is: 'list' | 'map' },
  model: Model,
  imports: Imports,
  read: Reader,
): Reader {
  const zero = model.struct(inner(type)) === undefined ? zeroOf(inner(type), model) : undefined
  const of = zero === '' ? typeText(inner(type), model, imports) : 'string'
  const cast = zero === null ? ' as never' : of === 'string' ? '' : ` as ${of}`
  const tail = zero === undefined ? '' : `, ${literal(zero)}${cast}`
  const call = (value: string, name: string): string =>
    `r.${type.is}(${value}, report, ${name}, ${read.item}${tail})`
  const item = `(value: unknown, report: r.ReadReport, name: string) => ${call('value', 'name')}`
  return { item, call }
}

/**
 * A closed list of values needs no other bound; the formats `byte` and `date-time` have readers
 * of their own.
 */
function stringReader(
  type: Type & { is: 'string' },
  hoisted: HoistedConstants,
  wish: string,
): string {
  const { values, ...bounds } = type.bounds
  if (values !== undefined) {
    return hoisted.name(`${wish}Values`, `r.oneOf(${literal(values)} as const)`)
  }
  const form =
    type.format === 'byte' ? 'r.bytes' : type.format === 'date-time' ? 'r.time' : 'r.string'
  return bounded(form, bounds, hoisted, wish)
}

/** The reader with its bounds checked, as a constant: bounds are compiled once. */
function bounded(
  read: string,
  bounds: StringBounds | NumberBounds,
  hoisted: HoistedConstants,
  wish: string,
): string {
  if (Object.keys(bounds).length === 0) return read
  const text = JSON.stringify(bounds)
  const safe = literal(JSON.parse(text))
    .replace(/\s*\n\s*/g, ' ')
    .replace(/, }$/, ' }')
  return hoisted.name(`${wish}Bounded`, `r.bounded(${read}, ${safe})`)
}

/**
 * True for a type whose reader can refuse a value of the right JSON type: its zero value must not be checked where it
 * means absent.
 */
function isChecked(type: Type, model: Model): boolean {
  if (type.is === 'string') return Object.keys(type.bounds).length > 0 || type.format !== undefined
  if (type.is === 'integer' || type.is === 'number') return Object.keys(type.bounds).length > 0
  const named = type.is === 'ref' ? model.type(type.to) : undefined
  if (named?.is === 'enum') return named.closed
  return named?.is === 'scalar'
}

/** The name of a constant about a field, unless it is taken. */
function wishOf(field: Field, struct: StructType): string {
  return lowerFirst(struct.name) + upperFirst(field.name.replace(/\W/g, ''))
}
