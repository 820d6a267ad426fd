import type { Api } from '../../codegen/schema/ir.ts'
import type {
  Field,
  NamedType,
  PlainType,
  Scalar,
  StructType,
  Type,
} from '../../codegen/schema/named-type.ts'
import type { Json, JsonObject } from '../../runtime/kernel/values/json.ts'
import type { Random } from './random.ts'

/** Values of the types that the schema files declare: plausible ones, and ones that are wrong in one way. */
export class SchemaValues {
  readonly #types: ReadonlyMap<string, NamedType>
  readonly #random: Random

  constructor(api: Api, random: Random) {
    this.#types = typesOf(api)
    this.#random = random
  }

  /** The struct with this id, without the fields that a struct refers to. */
  struct(id: string): StructType | undefined {
    const type = this.#types.get(id)
    return type?.is === 'struct' ? type : undefined
  }

  /** The type behind references, and the id of the last one. */
  resolved(type: Type): NamedType | PlainType | undefined {
    return type.is === 'ref' ? this.#types.get(type.to) : type
  }

  /** A value that is right by its type, its bounds and its enumeration; optional fields come and go. */
  plausible(type: Type, depth = 0): Json {
    const random = this.#random
    switch (type.is) {
      case 'string':
        if (type.bounds.values) return random.pick(type.bounds.values)
        return type.format === 'byte' ? 'YWI=' : random.pick(words)
      case 'integer': {
        const { minimum = 0, maximum = 2 ** 31 - 1 } = type.bounds
        return Math.min(maximum, minimum + random.below(5))
      }
      case 'number':
        return random.pick([0, 0.5, 7])
      case 'boolean':
        return random.chance(0.5)
      case 'list':
        return Array.from({ length: random.chance(0.7) ? 1 : 2 }, () =>
          this.plausible(type.items, depth + 1),
        )
      case 'map':
        return { [random.pick(words)]: this.plausible(type.values, depth + 1) }
      case 'ref':
        return this.#named(type.to, depth)
    }
  }

  #named(id: string, depth: number): Json {
    const type = this.#types.get(id)
    switch (type?.is) {
      case 'struct':
        return Object.fromEntries(
          type.fields
            .filter(({ required }) => required || this.#random.chance(presence[depth] ?? 0))
            .map(({ name, type }) => [name, this.plausible(type, depth + 1)]),
        )
      case 'enum':
        return type.values.length > 0 ? this.#random.pick(type.values) : 'x'
      case 'union':
        return this.plausible(this.#random.pick(type.members).type, depth + 1)
      case 'scalar':
        return this.#random.pick(scalars[type.scalar])
      case undefined:
        return null
    }
  }

  /** A value to put in the place of one of this type: absent, empty, at a bound, of another type, or plausible. */
  odd(type: Type): Json | undefined {
    const random = this.#random
    if (random.chance(0.25)) return this.plausible(type)
    if (random.chance(0.12)) return undefined
    if (random.chance(0.12)) return null
    const target = this.resolved(type)
    switch (target?.is) {
      case 'string':
      case 'enum':
        return random.pick(oddTexts)
      case 'integer':
        return random.pick(oddIntegers)
      case 'number':
        return random.pick([-1, 0, 1e300, '$number:1e400', 'x'])
      case 'boolean':
        return random.pick([true, false, 'true', 0])
      case 'list':
        return this.#oddList(target.items)
      case 'map':
        return random.pick<Json>([
          {},
          [],
          { '': this.plausible(target.values) },
          { [random.pick(oddTexts)]: this.plausible(target.values) },
          { a: null },
          'x',
        ])
      case 'scalar':
        return random.pick([...oddScalars[target.scalar], ...wrongTypes])
      case 'struct':
        return random.pick<Json>([{}, [], 'x', 1, { unknownField: 1 }])
      default:
        return random.pick(wrongTypes)
    }
  }

  #oddList(items: Type): Json {
    const random = this.#random
    const item = this.plausible(items)
    return random.pick<() => Json>([
      () => [],
      () => [null],
      () => [{}],
      () => [''],
      () => ({}),
      () => 'x',
      () => [item, item],
      () => [this.odd(items) ?? null],
      () => [item, this.odd(items) ?? null],
    ])()
  }

  /** A field of a struct, by its name in JSON. */
  field(struct: StructType, name: string): Field | undefined {
    return struct.fields.find((field) => field.name === name)
  }

  /** The struct that a JSON object of this type has. */
  structOf(type: Type): StructType | undefined {
    const target = this.resolved(type)
    return target?.is === 'struct' ? target : undefined
  }
}

/** The share of optional fields that are there, by depth: deeper values are smaller, and recursion ends. */
const presence = [0.4, 0.4, 0.3, 0.1, 0.05]

const typesByApi = new WeakMap<Api, ReadonlyMap<string, NamedType>>()

function typesOf(api: Api): ReadonlyMap<string, NamedType> {
  const known = typesByApi.get(api) ?? new Map(api.types.map((type) => [type.id, type]))
  typesByApi.set(api, known)
  return known
}

const words = [
  'a',
  'web',
  'data',
  'http',
  'x-1',
  'example.com',
  'example.com/a',
  '/tmp/a',
  '80',
  'A_B',
]

const wrongTypes: readonly Json[] = [null, {}, [], 'x', 1, true]

const oddTexts: readonly string[] = [
  '',
  ' ',
  'A',
  'a_b',
  'a.b',
  '-a',
  'a-',
  '.',
  '..',
  '../x',
  '/',
  'a/b',
  'a/b/c',
  '/abs/path',
  'a:b',
  'ü',
  '\u{1f600}',
  'a\nb',
  '<&>',
  '*',
  '0',
  '1',
  '-1',
  '10.0.0.1',
  '::1',
  '::ffff:1.2.3.4',
  '010.0.0.1',
  '10.0.0.0/33',
  'http://x',
  'x'.repeat(64),
  'x'.repeat(254),
  'kubernetes.io/x',
  'k8s.io',
  'example.com/',
  '/x',
  'example.com/UP',
  'true',
  'null',
  'None',
  'TCP',
  'Always',
  '100%',
  '101%',
  'UTC',
  '$(A)',
  'a=b',
  '\u0000',
]

const oddIntegers: readonly Json[] = [
  0,
  1,
  -1,
  2,
  100,
  101,
  65535,
  65536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  '$number:9223372036854775807',
  '$number:9223372036854775808',
  '$number:1.0',
  '$number:1e3',
  1.5,
  '1',
  true,
]

const scalars: Readonly<Record<Scalar, readonly Json[]>> = {
  time: ['2024-01-01T00:00:00Z', '2030-12-31T23:59:59Z'],
  'micro-time': ['2024-01-01T00:00:00.000001Z'],
  duration: ['1m0s', '1h0m0s'],
  quantity: ['1', '500m', '2Gi', '1.5', 1, '100k'],
  'int-or-string': [0, 1, '25%', 'http', 80],
  'raw-extension': [{ a: 'b' }],
  'fields-v1': [{ 'f:a': {} }],
  any: ['a', 1],
}

const oddScalars: Readonly<Record<Scalar, readonly Json[]>> = {
  time: [
    '',
    '2024-01-01',
    '2024-01-01T00:00:00',
    '0001-01-01T00:00:00Z',
    '2024-01-01T00:00:00.5Z',
    '2024-01-01T00:00:00+02:00',
    '2024-13-01T00:00:00Z',
    '2024-01-01T24:00:00Z',
  ],
  'micro-time': [
    '',
    '2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00.1Z',
    '2024-01-01T00:00:00.123456789Z',
  ],
  duration: ['', '1', '1d', '-1s', '1h1h', '1.5h', '1µs'],
  quantity: [
    '',
    ' 1',
    '.',
    '1.025',
    '12E',
    '1E3',
    '+1',
    '001',
    '-1',
    '1e400',
    '0.1m',
    '1Ki',
    '1.5Gi',
    'm',
    '1n',
    '9223372036854775808',
    '12345678901234567890Gi',
    0,
    -1,
    '$number:1.5',
    '100m ',
  ],
  'int-or-string': [
    -1,
    '',
    '0',
    '-1',
    '101%',
    '%',
    'A',
    '65536',
    65536,
    '$number:1.5',
    '$number:2147483648',
  ],
  'raw-extension': [{}, [], 'x', null, { apiVersion: 'v1', kind: 'Pod' }],
  'fields-v1': [{}, 'x', []],
  any: [null, {}, []],
}

/** A place in an object where a value of a type stands or may stand. */
export interface ValuePlace {
  readonly path: readonly (string | number)[]
  readonly type: Type
}

/** Every place of an object whose type is known: its fields, those that are absent too, and items of lists and maps. */
export function placesOf(
  values: SchemaValues,
  object: JsonObject,
  root: StructType,
): readonly ValuePlace[] {
  const found: ValuePlace[] = []
  const inStruct = (value: JsonObject, struct: StructType, path: ValuePlace['path']): void => {
    for (const field of struct.fields) visit(value[field.name], field.type, [...path, field.name])
  }
  const visit = (value: Json | undefined, type: Type, path: ValuePlace['path']): void => {
    found.push({ path, type })
    const target = values.resolved(type)
    if (target?.is === 'list' && Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, target.items, [...path, index])
      return
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    if (target?.is === 'struct') inStruct(value as JsonObject, target, path)
    if (target?.is === 'map')
      for (const [key, item] of Object.entries(value)) visit(item, target.values, [...path, key])
  }
  inStruct(object, root, [])
  return found
}

/** The value with another one at a path; undefined removes what is there. */
export function withValue(value: Json, path: ValuePlace['path'], put: Json | undefined): Json {
  const [step, ...rest] = path
  if (step === undefined) return put ?? null
  if (Array.isArray(value)) {
    const index = Number(step)
    if (rest.length === 0 && put === undefined) return value.filter((_, at) => at !== index)
    return value.map((item, at) => (at === index ? withValue(item, rest, put) : item))
  }
  const object = (value ?? {}) as JsonObject
  if (rest.length === 0 && put === undefined) {
    const { [step]: _, ...others } = object
    return others
  }
  return { ...object, [step]: withValue(object[step] ?? null, rest, put) }
}
