/** Converts JSON values to values of the types that their schema declares. */
import { isObject } from '../../kernel/values/json.ts'
import { spendSteps } from '../limits/step-limit.ts'
import type { ObjectType } from '../types/types.ts'
import { timestampOf } from '../values/time.ts'
import {
  Double,
  Duration,
  fail,
  intOf,
  type ListRelation,
  ListView,
  MapView,
  ObjectView,
  type Result,
} from '../values/values.ts'
import { mapListRelation, setRelation } from './list-types.ts'
import type { SchemaNode } from './schema-node.ts'
import { dateTimeProblem, parseDate, parseDateTime, parseSpan } from './time-formats.ts'

type Read = (raw: unknown) => Result

/** The readers and types of the nodes below a list, map or object. */
export interface Inner {
  readonly element?: Read
  readonly object?: ObjectType
}

/** The reader of values of a node. A value of the wrong JSON type is an error of the expression. */
export function readerOf(node: SchemaNode, inner: Inner): Read {
  const read = plainReader(node, inner)
  return node.nullable ? (raw) => (raw === null || raw === undefined ? null : read(raw)) : read
}

/**
 * A list, map or object is a view: its members are read when an expression asks for them, so an
 * invalid member is an error only of expressions that look at it.
 */
function plainReader(node: SchemaNode, { element, object }: Inner): Read {
  if (node.intOrString) return readIntOrString
  if (object !== undefined) return objectReader(object)
  if (element !== undefined && node.type === 'array') {
    const relation = relationOf(node)
    return (raw) =>
      Array.isArray(raw) ? new ListView(raw, element, relation) : wrong('array', raw)
  }
  if (element !== undefined) {
    return (raw) => (isObject(raw) ? new MapView(raw, element) : wrong('map', raw))
  }
  return node.type === 'string' ? textReader(node.format) : (scalars.get(node.type) ?? noValue)
}

function objectReader(type: ObjectType): Read {
  return (raw) => (isObject(raw) ? new ObjectView(raw, type) : wrong('map', raw))
}

function relationOf(node: SchemaNode): ListRelation | undefined {
  if (node.listType === 'set') return setRelation
  return node.listType === 'map' ? mapListRelation(node.listMapKeys) : undefined
}

/** The error of a value of the wrong JSON type. */
function wrong(want: string, raw: unknown): Result {
  if (raw === null || raw === undefined) {
    return fail('invalid data, got null for schema with nullable=false')
  }
  if (want === 'map') {
    return fail('invalid data, expected a map for the provided schema with type=object')
  }
  if (want === 'array') {
    return fail('invalid data, expected an array for the provided schema with type=array')
  }
  return fail(`invalid data, expected ${want}, got ${goTypeOf(raw)}`)
}

/** The type that a decoded value has in Go, as messages of release 1.29 name it. */
function goTypeOf(raw: unknown): string {
  if (Array.isArray(raw)) return '[]interface {}'
  if (isObject(raw)) return 'map[string]interface {}'
  if (typeof raw === 'boolean') return 'bool'
  if (typeof raw === 'string') return 'string'
  return typeof raw === 'bigint' || Number.isInteger(raw) ? 'int64' : 'float64'
}

/** For nodes without a known type, to which no expression that was checked leads. */
function noValue(): Result {
  return fail('invalid data, a value of unknown type')
}

/** Minus zero becomes 0; integers beyond 2^53 are bigints, and those beyond 64 bits an error. */
function readInt(raw: unknown): Result {
  if (typeof raw === 'number') {
    if (Number.isSafeInteger(raw)) return raw + 0
    if (Number.isInteger(raw)) return intOf(BigInt(raw))
  }
  return typeof raw === 'bigint' ? intOf(raw) : wrong('int', raw)
}

function readText(raw: unknown): Result {
  return typeof raw === 'string' ? raw : wrong('string', raw)
}

function readIntOrString(raw: unknown): Result {
  if (typeof raw === 'string') return raw
  if (Number.isSafeInteger(raw) || isLong(raw)) return readInt(raw)
  if (raw === null || raw === undefined) return wrong('int or string', raw)
  return fail('invalid data, expected XIntOrString value to be either a string or integer')
}

/** An integer that takes all of 64 bits and no more; larger ones are decoded as doubles. */
function isLong(raw: unknown): boolean {
  return typeof raw === 'bigint' && BigInt.asIntN(64, raw) === raw
}

function readDouble(raw: unknown): Result {
  const number = typeof raw === 'number' || typeof raw === 'bigint'
  return number ? new Double(Number(raw)) : wrong('float', raw)
}

function readBool(raw: unknown): Result {
  return typeof raw === 'boolean' ? raw : wrong('bool', raw)
}

const scalars: ReadonlyMap<string, Read> = new Map([
  ['integer', readInt],
  ['number', readDouble],
  ['boolean', readBool],
])

function textReader(format: string): Read {
  const read = formats.get(format)
  if (read === undefined) return readText
  return (raw) => (typeof raw === 'string' ? read(raw) : wrong('string', raw))
}

/** Characters that one step decodes: a rule may read a field often, at a cost of 1. */
const charactersPerStep = 5
const stepsPerTime = 120

function readDuration(text: string): Result {
  spendSteps(stepsPerTime)
  const nanos = parseSpan(text)
  return nanos === undefined
    ? fail(`Invalid duration ${text}: unable to parse ${text} as duration`)
    : new Duration(nanos)
}

function readDate(text: string): Result {
  spendSteps(stepsPerTime)
  const nanos = parseDate(text)
  return nanos === undefined ? fail(`Invalid date formatted string ${text}`) : timestampOf(nanos)
}

function readDateTime(text: string): Result {
  spendSteps(stepsPerTime)
  const nanos = parseDateTime(text)
  if (nanos === undefined) {
    return fail(`Invalid date-time formatted string ${text}: ${dateTimeProblem(text)}`)
  }
  return timestampOf(nanos)
}

/** Standard base64 with padding; other alphabets and missing padding are refused. */
function readBytes(text: string): Result {
  spendSteps(Math.ceil(text.length / charactersPerStep))
  const body = text.replace(/={1,2}$/, '')
  const base64 = text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(body)
  if (!base64) return fail('Invalid byte formatted string')
  return new Uint8Array(Buffer.from(text, 'base64'))
}

/** The formats with a type of their own. A schema may name others; they leave a text as it is. */
const formats: ReadonlyMap<string, (text: string) => Result> = new Map([
  ['duration', readDuration],
  ['date', readDate],
  ['date-time', readDateTime],
  ['datetime', readDateTime],
  ['byte', readBytes],
])
