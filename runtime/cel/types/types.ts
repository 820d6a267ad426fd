/** The types of the language. Types are compared by structure, objects and opaque types by name. */

/** A type that the checker knows. Simple types are the constants below; the others are made by functions. */
export type Type =
  | SimpleType
  | ListType
  | MapType
  | OptionalType
  | ObjectType
  | OpaqueType
  | TypeType
  | ParameterType

/**
 * A type without parts. `dyn` is any value, known only at run time; `error` is the type of an expression that has an
 * error already.
 */
export interface SimpleType<K extends SimpleKind = SimpleKind> {
  readonly kind: K
}

/** The names of simple types. */
export type SimpleKind =
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'duration'
  | 'timestamp'
  | 'dyn'
  | 'error'

/** `list(element)`. */
export interface ListType {
  readonly kind: 'list'
  readonly element: Type
}

/** `map(key, value)`. */
export interface MapType {
  readonly kind: 'map'
  readonly key: Type
  readonly value: Type
}

/** `optional_type(element)`: a value or none. */
export interface OptionalType {
  readonly kind: 'optional'
  readonly element: Type
}

/** The type of types, which `type(x)` gives. */
export interface TypeType {
  readonly kind: 'type'
  readonly of: Type
}

/** A type parameter of a function: `A` in `list(A)`; in an expression being checked, a type variable. */
export interface ParameterType {
  readonly kind: 'parameter'
  readonly name: string
}

/** An object with declared fields over a raw JSON object. Fields are looked up lazily, so that types may be recursive. */
export interface ObjectType {
  readonly kind: 'object'
  readonly name: string
  /** The field of a name as expressions write it; undefined if there is none. */
  field(name: string): Field | undefined
  /** The names of all fields, as expressions write them. */
  fields(): readonly string[]
}

/** A type of a library: its values are `Opaque`. They are equal if they are identical, unless `equals` says otherwise. */
export interface OpaqueType {
  readonly kind: 'opaque'
  readonly name: string
  readonly equals?: (a: unknown, b: unknown) => boolean
}

/**
 * What is declared of a place in a JSON document: its type, how the raw value there becomes a value of that type (lazily,
 * when an expression reads it), and how large it can get. `R` is what `read` gives: the `Result` of `values/`.
 */
export interface Declared<R = unknown> {
  readonly type: Type
  readonly read: (raw: unknown) => R
  readonly bounds?: Bounds
}

/** A field of an object type: `name` in expressions, `property` in the raw object. */
export interface Field<R = unknown> extends Declared<R> {
  readonly name: string
  readonly property: string
}

/** How large a value can get, for cost estimates: elements of a list or map, code points of a string, bytes. */
export interface Bounds {
  readonly size: number
  /** The bounds of the items of a list, or of the values of a map. */
  readonly element?: Bounds
  readonly key?: Bounds
  /** The bounds of a field of an object. */
  readonly field?: (name: string) => Bounds | undefined
  /** True if the bounds hold for what an optional holds, too; the release takes that for unbounded. */
  readonly optionals?: boolean
}

/** The type of `null`. */
export const nullType = { kind: 'null' } as const satisfies SimpleType
/** The type of `true` and `false`. */
export const boolType = { kind: 'bool' } as const satisfies SimpleType
/** Signed integers of 64 bits. */
export const intType = { kind: 'int' } as const satisfies SimpleType
/** Unsigned integers of 64 bits. */
export const uintType = { kind: 'uint' } as const satisfies SimpleType
/** Floating point numbers of 64 bits. */
export const doubleType = { kind: 'double' } as const satisfies SimpleType
/** Texts, as sequences of code points. */
export const stringType = { kind: 'string' } as const satisfies SimpleType
/** Sequences of bytes. */
export const bytesType = { kind: 'bytes' } as const satisfies SimpleType
/** Spans of time in nanoseconds. */
export const durationType = { kind: 'duration' } as const satisfies SimpleType
/** Points in time in nanoseconds. */
export const timestampType = { kind: 'timestamp' } as const satisfies SimpleType
/** Any value. */
export const dynType = { kind: 'dyn' } as const satisfies SimpleType
/** What a failed check leaves. */
export const errorType = { kind: 'error' } as const satisfies SimpleType

/** `list(element)`. */
export function listType(element: Type): ListType {
  return { kind: 'list', element }
}

/** `map(key, value)`. */
export function mapType(key: Type, value: Type): MapType {
  return { kind: 'map', key, value }
}

/** `optional_type(element)`. */
export function optionalType(element: Type): OptionalType {
  return { kind: 'optional', element }
}

/** `type(of)`. */
export function typeType(of: Type): TypeType {
  return { kind: 'type', of }
}

/** A type parameter, the same wherever it stands in one overload. */
export function typeParameter(name: string): ParameterType {
  return { kind: 'parameter', name }
}

/** A type of a library. */
export function opaqueType(name: string, equals?: (a: unknown, b: unknown) => boolean): OpaqueType {
  return equals === undefined ? { kind: 'opaque', name } : { kind: 'opaque', name, equals }
}

/** An object type of these fields; `fields` is called once, when a field is first looked up. */
export function objectType(name: string, fields: () => readonly Field[]): ObjectType {
  let byName: ReadonlyMap<string, Field> | undefined
  const table = () => {
    byName ??= new Map(fields().map((field) => [field.name, field]))
    return byName
  }
  return {
    kind: 'object',
    name,
    field: (wanted) => table().get(wanted),
    fields: () => [...table().keys()],
  }
}

/** The type as error messages state it: `list(string)`. */
export function printType(type: Type): string {
  switch (type.kind) {
    case 'error':
      return '!error!'
    case 'list':
      return `list(${printType(type.element)})`
    case 'map':
      return `map(${printType(type.key)}, ${printType(type.value)})`
    case 'optional':
      return `optional_type(${printType(type.element)})`
    case 'type':
      return `type(${printType(type.of)})`
    case 'parameter':
    case 'object':
    case 'opaque':
      return type.name
    default:
      return type.kind
  }
}

/** The name that a type has as a value: that of every list is `list`. Types are equal at run time if their names are. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'null':
      return 'null_type'
    case 'duration':
      return 'google.protobuf.Duration'
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'optional':
      return 'optional_type'
    case 'parameter':
    case 'object':
    case 'opaque':
      return type.name
    default:
      return type.kind
  }
}

/** The optional of a type; an optional type is its own. */
export function asOptional(type: Type): Type {
  return type.kind === 'optional' ? type : optionalType(type)
}
