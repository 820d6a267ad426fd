import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import * as types from '../../runtime/cel/types/types.ts'
import { type Type, typeName } from '../../runtime/cel/types/types.ts'
import {
  isList,
  isMap,
  itemsOf,
  keysOf,
  lookup,
  mapOf,
} from '../../runtime/cel/values/collections.ts'
import { parseDuration, parseTimestamp } from '../../runtime/cel/values/time.ts'
import {
  CelError,
  Double,
  Duration,
  intOf,
  MapValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../../runtime/cel/values/values.ts'

/** A vector of the public conformance suite. */
export interface Vector {
  readonly file: string
  readonly name: string
  readonly expr: string
  readonly container: string
  readonly unchecked: boolean
  readonly checkOnly: boolean
  readonly variables: readonly { readonly name: string; readonly type: Type }[]
  readonly bindings: Readonly<Record<string, Value>>
  readonly expected: Expected
  readonly deducedType: string | undefined
}

export type Expected = { readonly value: Value } | { readonly error: true }

/** Why a vector asks for something that has no meaning here. */
export class Unsupported {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** Every vector of a file, or why it cannot be run. */
export function vectorsOf(file: string): readonly { name: string; vector: Vector | Unsupported }[] {
  const suite = tests.suites?.find(({ name }) => name === file)
  const sections = suite?.suites ?? []
  return sections.flatMap((section) =>
    (section.tests ?? []).map((test) => {
      const name = `${file}/${section.name}/${String(test.original.name)}`
      return { name, vector: attempt(() => vectorOf(file, name, test)) }
    }),
  )
}

/** The names of all files. */
export function vectorFiles(): readonly string[] {
  return (tests.suites ?? []).map(({ name }) => name)
}

function attempt(make: () => Vector): Vector | Unsupported {
  try {
    return make()
  } catch (error) {
    if (error instanceof Unsupported) return error
    throw error
  }
}

type Json = Readonly<Record<string, unknown>>

function vectorOf(file: string, name: string, test: { original: unknown }): Vector {
  const original = test.original as Json
  const expr = String(original.expr)
  if (/TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)|NestedMessage|GlobalEnum/.test(expr)) {
    throw new Unsupported('a protobuf message')
  }
  const bindings = Object.entries((original.bindings ?? {}) as Json)
  const typed = original.typedResult as Json | undefined
  return {
    file,
    name,
    expr,
    container: String(original.container ?? ''),
    unchecked: original.disableCheck === true,
    checkOnly: original.checkOnly === true,
    variables: ((original.typeEnv ?? []) as Json[]).map(variableOf),
    bindings: Object.fromEntries(bindings.map(([key, value]) => [key, boundOf(value as Json)])),
    expected: expectedOf(original, typed),
    deducedType: deducedOf(typed),
  }
}

function deducedOf(typed: Json | undefined): string | undefined {
  const type = typed?.deducedType
  return type === undefined ? undefined : types.printType(typeOf(type as Json))
}

function boundOf(value: Json): Value {
  if (value.value === undefined) throw new Unsupported('an unknown value')
  return vectorValue(value.value as Json)
}

function expectedOf(original: Json, typed: Json | undefined): Expected {
  if (original.evalError !== undefined || original.anyEvalErrors !== undefined) {
    return { error: true }
  }
  if (original.unknown !== undefined) throw new Unsupported('an unknown value')
  const value = original.value ?? typed?.result
  return { value: value === undefined ? true : vectorValue(value as Json) }
}

function variableOf(declaration: Json): { name: string; type: Type } {
  const ident = declaration.ident as Json | undefined
  if (ident === undefined) throw new Unsupported('a declared function')
  return { name: String(declaration.name), type: typeOf(ident.type as Json) }
}

const primitives: Readonly<Record<string, Type>> = {
  BOOL: types.boolType,
  INT64: types.intType,
  UINT64: types.uintType,
  DOUBLE: types.doubleType,
  STRING: types.stringType,
  BYTES: types.bytesType,
}

function typeOf(type: Json): Type {
  const [[kind, value] = ['', undefined]] = Object.entries(type)
  const inner = value as Json
  switch (kind) {
    case 'primitive':
      return primitives[String(value)] ?? types.dynType
    case 'dyn':
      return types.dynType
    case 'null':
      return types.nullType
    case 'wellKnown':
      if (value === 'TIMESTAMP') return types.timestampType
      if (value === 'DURATION') return types.durationType
      throw new Unsupported('a protobuf message')
    case 'listType':
      return types.listType(typeOf(inner.elemType as Json))
    case 'mapType':
      return types.mapType(typeOf(inner.keyType as Json), typeOf(inner.valueType as Json))
    case 'typeParam':
      return types.typeParameter(String(value))
    case 'type':
      return types.typeType(typeOf(inner))
    case 'abstractType': {
      const parameters = (inner.parameterTypes ?? []) as Json[]
      if (inner.name === 'optional_type') return types.optionalType(typeOf(parameters[0] ?? {}))
      return types.opaqueType(String(inner.name))
    }
    default:
      throw new Unsupported('a protobuf message')
  }
}

const named: Readonly<Record<string, Type>> = Object.fromEntries(
  [
    ...Object.values(primitives),
    types.nullType,
    types.timestampType,
    types.durationType,
    types.listType(types.dynType),
    types.mapType(types.dynType, types.dynType),
    types.typeType(types.dynType),
    types.optionalType(types.dynType),
  ].map((type) => [typeName(type), type]),
)

function checked(value: Value | CelError): Value {
  if (value instanceof CelError) throw new Unsupported(value.message)
  return value
}

function doubleOf(value: unknown): Value {
  if (value === 'NaN') return new Double(Number.NaN)
  return new Double(Number(value))
}

function vectorValue(value: Json): Value {
  const [[kind, raw] = ['', undefined]] = Object.entries(value)
  const inner = raw as Json
  switch (kind) {
    case 'nullValue':
      return null
    case 'boolValue':
    case 'stringValue':
      return raw as Value
    case 'int64Value':
      return checked(intOf(BigInt(String(raw))))
    case 'uint64Value':
      return new Uint(BigInt(String(raw)))
    case 'doubleValue':
      return doubleOf(raw)
    case 'bytesValue':
      return new Uint8Array(Buffer.from(String(raw), 'base64'))
    case 'listValue':
      return ((inner.values ?? []) as Json[]).map(vectorValue)
    case 'mapValue':
      return checked(
        mapOf(
          ((inner.entries ?? []) as Json[]).map((entry) => ({
            key: vectorValue(entry.key as Json),
            value: vectorValue(entry.value as Json),
          })),
        ),
      )
    case 'typeValue':
      return new TypeValue(named[String(raw)] ?? types.opaqueType(String(raw)))
    case 'objectValue':
      return objectOf(inner)
    default:
      throw new Unsupported('a protobuf message')
  }
}

function objectOf(inner: Json): Value {
  const type = String(inner['@type'])
  if (type.endsWith('.Timestamp')) {
    const parsed = parseTimestamp(String(inner.value))
    if (parsed instanceof Timestamp) return parsed
  }
  if (type.endsWith('.Duration')) {
    const parsed = parseDuration(String(inner.value))
    if (parsed instanceof Duration) return parsed
  }
  throw new Unsupported('a protobuf message')
}

/** Whether a value is exactly the expected one: of its type too, deep, NaN like NaN. */
export function exactly(actual: Value, expected: Value): boolean {
  if (expected instanceof Double) {
    return actual instanceof Double && Object.is(actual.value, expected.value)
  }
  if (isList(expected)) {
    if (!isList(actual)) return false
    const [left, right] = [itemsOf(actual), itemsOf(expected)]
    if (left instanceof CelError || right instanceof CelError) return false
    return (
      left.length === right.length && left.every((item, at) => exactly(item, right[at] ?? null))
    )
  }
  if (expected instanceof MapValue) return isMap(actual) && sameMaps(actual, expected)
  if (expected instanceof TypeValue) {
    return actual instanceof TypeValue && typeName(actual.type) === typeName(expected.type)
  }
  if (expected instanceof Uint8Array) {
    return actual instanceof Uint8Array && Buffer.compare(actual, expected) === 0
  }
  if (expected instanceof Uint) return actual instanceof Uint && actual.value === expected.value
  if (expected instanceof Timestamp) {
    return actual instanceof Timestamp && actual.nanos === expected.nanos
  }
  if (expected instanceof Duration) {
    return actual instanceof Duration && actual.nanos === expected.nanos
  }
  return Object.is(actual, expected)
}

function sameMaps(actual: Value, expected: MapValue): boolean {
  if (!isMap(actual)) return false
  const keys = keysOf(expected)
  return (
    keys.length === keysOf(actual).length &&
    keys.every((key) => {
      const [left, right] = [lookup(actual, key), lookup(expected, key)]
      if (left === undefined || left instanceof CelError) return false
      return right !== undefined && !(right instanceof CelError) && exactly(left, right)
    })
  )
}
