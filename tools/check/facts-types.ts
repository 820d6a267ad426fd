import type { Api } from '../../codegen/schema/ir.ts'
import type { EnumType, Field, NamedType, Type } from '../../codegen/schema/named-type.ts'
import type { Facts, FieldFact, TypeFact } from './facts-file.ts'

/** Named types by their id, such as `core/v1.Pod`. */
type Types = ReadonlyMap<string, NamedType>

/** What differs between the types of a scheme and those of a facts file. Lists of kinds are generated, not written. */
export function typeDifferences(api: Api, facts: Facts): readonly string[] {
  const types: Types = new Map(api.types.map((type) => [type.id, type]))
  return [
    ...Object.entries(facts.types).flatMap(([id, fact]) => typeDifference(id, fact, types)),
    ...Object.entries(facts.enums).flatMap(([id, values]) => {
      const type = types.get(id)
      return type?.is === 'enum' ? valueDifferences(type, values) : []
    }),
  ]
}

/**
 * One struct: which fields there are, in which order, and what each is. Lists of kinds, unions and scalars have no fields
 * that the schemas write down.
 */
function typeDifference(id: string, fact: TypeFact, types: Types): readonly string[] {
  const type = types.get(id)
  if (type?.is === 'scalar' || type?.is === 'union' || fact.protoMessageOnly) return []
  if (type?.is !== 'struct') return fact.isList ? [] : [`${id}: there is no such type`]
  const facts = fact.fields.filter(({ name, inline }) => name !== null && !inline)
  const inlined = fact.fields.some(({ inline }) => inline)
  const own = type.fields.filter(({ inline }) => inline === undefined)
  const names = own.map(({ name }) => name)
  const wanted = facts.map(({ name }) => name ?? '')
  const order = names.filter((name) => wanted.includes(name))
  return [
    ...wanted.filter((name) => !names.includes(name)).map((name) => `${id}: no field ${name}`),
    ...names.filter((name) => !wanted.includes(name)).map((name) => `${id}: extra field ${name}`),
    ...(order.join() === wanted.filter((name) => names.includes(name)).join()
      ? []
      : [`${id}: fields are in another order`]),
    ...(inlined === type.fields.some(({ inline }) => inline !== undefined)
      ? []
      : [`${id}: inlines otherwise`]),
    ...differs(id, 'map type', type.mapType, fact.structType),
    ...facts.flatMap((each) => {
      const field = own.find(({ name }) => name === each.name)
      return field === undefined ? [] : fieldDifferences(`${id}.${each.name}`, field, each, types)
    }),
  ]
}

/** One field: its type, its numbers and names, how it merges, what an absent value means. */
function fieldDifferences(
  at: string,
  field: Field,
  fact: FieldFact,
  types: Types,
): readonly string[] {
  const list = field.type.is === 'list'
  return [
    ...differs(at, 'type', typeText(field.type, types), factText(fact)),
    ...differs(at, 'number', field.proto, fact.num),
    ...differs(at, 'protobuf name', field.protoName, fact.protoName),
    ...differs(at, 'required', field.required, fact.required === true),
    ...(list ? differs(at, 'list type', field.list, fact.listType) : []),
    ...differs(at, 'list keys', field.keys?.join(), fact.listMapKeys?.join()),
    ...differs(at, 'map type', field.map, fact.mapType ?? fact.structType),
    ...differs(at, 'patch strategy', field.patch?.join(), fact.patchStrategy),
    ...differs(at, 'patch merge key', field.patchKey, fact.patchMergeKey),
    ...zeroDifferences(at, field, fact),
    ...(fact.featureGate === undefined
      ? []
      : differs(at, 'feature gate', field.featureGate, fact.featureGate)),
  ]
}

/** A line for a difference, nothing where both are the same. */
function differs(at: string, what: string, ours: unknown, theirs: unknown): readonly string[] {
  return ours === theirs ? [] : [`${at}: ${what} is ${ours}, should be ${theirs}`]
}

/** Of a value without a form of its own the facts do not say whether it is written when it is absent. */
function zeroDifferences(at: string, field: Field, fact: FieldFact): readonly string[] {
  if (fact.format === 'raw-extension') return []
  return differs(at, 'zero', zeroOf(field), wantedZero(fact))
}

/** What an absent value is; required fields and pointers leave no choice. */
function zeroOf(field: Field): string {
  if (field.required) return 'required'
  return field.zero
}

/** The same in the words of the facts: a pointer is tracked, a value that Go always writes is kept. */
function wantedZero(fact: FieldFact): string {
  if (fact.required) return 'required'
  const written =
    fact.type === 'object' ||
    fact.type === 'int-or-string' ||
    fact.format === 'quantity' ||
    isTime(fact)
  if (fact.ptr) return fact.omitempty || fact.type !== 'string' ? 'tracked' : 'keep'
  if (fact.type === 'any') return 'tracked'
  if (fact.ref === 'runtime.Unknown') return 'tracked'
  return fact.omitempty && !written ? 'omit' : 'keep'
}

/** Times are structs there, which are written even when they are empty. */
function isTime({ format, proto = '' }: FieldFact): boolean {
  return format?.startsWith('date-time') === true || /Time$/.test(proto)
}

/** A type in the words of the facts: formats for text forms, ids for structs. */
function typeText(type: Type, types: Types): string {
  switch (type.is) {
    case 'list':
      return `[${typeText(type.items, types)}]`
    case 'map':
      return `{${typeText(type.values, types)}}`
    case 'integer':
      return `integer ${type.format}`
    case 'string':
      return type.format === 'byte' ? 'string byte' : 'string'
    case 'ref':
      return namedText(types.get(type.to), type.to)
    default:
      return type.is
  }
}

/** Scalars by the words that the facts have for them. */
const scalarTexts: Readonly<Record<string, string>> = {
  time: 'time',
  'micro-time': 'micro-time',
  duration: 'duration',
  quantity: 'quantity',
  'int-or-string': 'int-or-string',
  'raw-extension': 'object',
  'fields-v1': 'object',
  any: 'any',
}

/** An enumeration is a string there; a struct is its id. */
function namedText(type: NamedType | undefined, id: string): string {
  if (type?.is === 'enum') return 'string'
  if (type?.is === 'scalar') return scalarTexts[type.scalar] ?? type.scalar
  return id
}

/** The type of a field of the facts, in the same words as `typeText`. */
function factText(fact: FieldFact): string {
  const { type = '', format, proto = '', ref } = fact
  if (format === 'quantity') return 'quantity'
  if (format === 'date-time-micro' || proto.endsWith('meta/v1.MicroTime')) return 'micro-time'
  if (format === 'date-time' || proto.endsWith('meta/v1.Time')) return 'time'
  if (proto.endsWith('meta/v1.Duration')) return 'duration'
  if (ref === 'meta/v1.FieldsV1' || ref?.startsWith('runtime.')) return 'object'
  if (type === 'array') return `[${fact.items === undefined ? '' : factText(fact.items)}]`
  if (type === 'map') return `{${fact.values === undefined ? '' : factText(fact.values)}}`
  if (type === 'integer') return `integer ${format}`
  if (type === 'string') return format === 'byte' ? 'string byte' : 'string'
  if (type === 'object') return ref ?? 'object'
  return type
}

/** Values of an enumeration; open ones name the well-known values, where the empty one needs no name. */
function valueDifferences(type: EnumType, values: readonly string[]): readonly string[] {
  const ours = [...type.values].filter((value) => value !== '').sort()
  const theirs = [...values].filter((value) => value !== '').sort()
  return differs(type.id, 'values', ours.join(), theirs.join())
}
