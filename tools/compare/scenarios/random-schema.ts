/** Schemas of custom resources, and values for them. */
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import { formats, formatTexts } from './format-values.ts'
import { randomRule } from './random-rule.ts'

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const
const names = ['a', 'b', 'c', 'spec', 'status', 'replicas', 'x-y', 'metadata']

/** A schema of a random depth; keywords stand mostly, but not always, where they belong. */
export function randomSchema(random: Random, depth: number, atRoot = false): JsonObject {
  if (!atRoot && random.chance(0.1)) return random.pick(wholes)(random, depth)
  const type = atRoot
    ? random.chance(0.98)
      ? 'object'
      : random.pick(types)
    : random.pick(depth > 2 ? types.slice(2) : types)
  return { type, ...structure(random, type, depth), ...bounds(random, type), ...extras(random) }
}

const preserve = 'x-kubernetes-preserve-unknown-fields'
const intOrString = 'x-kubernetes-int-or-string'
const twoTypes = [{ type: 'integer' }, { type: 'string' }]

/** Nodes that are not made of a type and its keywords. */
const wholes: readonly ((random: Random, depth: number) => JsonObject)[] = [
  () => ({ [intOrString]: true }),
  () => ({ [intOrString]: true, anyOf: twoTypes }),
  (random) => ({
    [intOrString]: true,
    allOf: [{ anyOf: twoTypes }, random.pick<JsonObject>([{ pattern: '^a' }, { maximum: 5 }])],
  }),
  (random) => ({ [intOrString]: true, ...bounds(random, random.pick(['string', 'integer'])) }),
  () => ({ [preserve]: true }),
  () => ({ type: 'object', [preserve]: true }),
  (random, depth) => ({
    ...structure(random, 'object', depth + 1),
    type: 'object',
    [preserve]: true,
  }),
  () => ({ type: 'object', 'x-kubernetes-embedded-resource': true, [preserve]: true }),
  (random, depth) => ({
    ...structure(random, 'object', depth + 1),
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    ...(random.chance(0.5) && { [preserve]: true }),
  }),
]

/** What a schema of the type has inside. */
function structure(random: Random, type: string, depth: number): JsonObject {
  if (type === 'array') {
    if (depth < 2 && random.chance(0.1)) return mapList(random)
    const items = random.chance(0.95) ? { items: randomSchema(random, depth + 1) } : {}
    const listType = random.chance(0.3)
      ? { 'x-kubernetes-list-type': random.pick(['atomic', 'set', 'map', 'list']) }
      : {}
    const keys = random.chance(0.1)
      ? { 'x-kubernetes-list-map-keys': random.pick<Json>([['a'], ['a', 'b'], []]) }
      : {}
    return { ...items, ...listType, ...keys }
  }
  if (type !== 'object') return {}
  const mapType = random.chance(0.1)
    ? { 'x-kubernetes-map-type': random.pick(['atomic', 'granular', 'x']) }
    : {}
  if (random.chance(0.2))
    return {
      additionalProperties: random.chance(0.9)
        ? randomSchema(random, depth + 1)
        : random.chance(0.5),
      ...mapType,
    }
  const chosen = names.filter(() => random.chance(0.35))
  const properties = Object.fromEntries(
    chosen.map((name) => [name, randomSchema(random, depth + 1)]),
  )
  const required = random.chance(0.3)
    ? { required: random.pick<Json>([[...chosen.slice(0, 1)], ['a'], []]) }
    : {}
  return { properties, ...required, ...mapType }
}

/** A list with keys, mostly right. */
function mapList(random: Random): JsonObject {
  const keys = random.pick([['a'], ['a', 'b'], ['b']])
  const key = (): JsonObject => ({
    type: random.pick(['string', 'integer']),
    ...(random.chance(0.3) && { default: random.pick<Json>(['a', 1]) }),
    ...(random.chance(0.05) && { nullable: true }),
  })
  return {
    items: {
      type: 'object',
      properties: { a: key(), b: key(), c: { type: 'string' } },
      ...(random.chance(0.8) && { required: keys }),
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  }
}

/** Some of the bounds that the type may have. */
function bounds(random: Random, type: string): JsonObject {
  const kept = (share: number, entry: () => JsonObject): JsonObject =>
    random.chance(share) ? entry() : {}
  const odd = random.chance(0.03)
  const target = odd ? random.pick(types) : type
  switch (target) {
    case 'string':
      return {
        ...kept(0.2, () => ({ minLength: random.pick<Json>([0, 1, 3, -1]) })),
        ...kept(0.2, () => ({ maxLength: random.pick<Json>([0, 5, 63]) })),
        ...kept(0.2, () => ({ pattern: random.pick(['^a', '[', '^[a-z]+$', '(?=a)', '\\d+']) })),
        ...kept(0.3, () => ({ format: random.pick(formats) })),
        ...kept(0.15, () => ({ enum: random.pick<Json>([['a', 'b'], ['a', 'a'], [], [1]]) })),
      }
    case 'integer':
    case 'number':
      return {
        ...kept(0.2, () => ({ minimum: random.pick([0, 1, -5, 1.5]) })),
        ...kept(0.2, () => ({ maximum: random.pick([0, 10, 1e18]) })),
        ...kept(0.1, () => ({ exclusiveMinimum: true })),
        ...kept(0.05, () => ({ exclusiveMaximum: random.chance(0.7) })),
        ...kept(0.1, () => ({ multipleOf: random.pick<Json>([2, 0, 0.5, -1]) })),
        ...kept(0.1, () => ({ format: random.pick(formats) })),
      }
    case 'array':
      return {
        ...kept(0.2, () => ({ minItems: random.pick([0, 1, 3]) })),
        ...kept(0.2, () => ({ maxItems: random.pick([0, 2, 10]) })),
        ...kept(0.05, () => ({ uniqueItems: random.chance(0.5) })),
      }
    default:
      return {
        ...kept(0.1, () => ({ minProperties: random.pick([0, 1]) })),
        ...kept(0.1, () => ({ maxProperties: random.pick([0, 2]) })),
      }
  }
}

/** Extensions, defaults and other keywords, a few of them. */
function extras(random: Random): JsonObject {
  const kept = (share: number, entry: () => JsonObject): JsonObject =>
    random.chance(share) ? entry() : {}
  return {
    ...kept(0.08, () => ({ nullable: random.chance(0.7) })),
    ...kept(0.1, () => ({
      default: random.pick<Json>(['a', 1, true, null, {}, [], { a: 'a' }, ['a'], 1.5]),
    })),
    ...kept(0.03, () => ({
      allOf: [
        random.pick<JsonObject>([
          { minLength: 1 },
          { properties: { a: { minimum: 1 } } },
          { type: 'string' },
          { required: ['a'] },
        ]),
      ],
    })),
    ...kept(0.03, () => ({ anyOf: [{ minimum: 1 }, { maxLength: 3 }] })),
    ...kept(0.02, () => ({ oneOf: [{ required: ['a'] }, { required: ['b'] }] })),
    ...kept(0.02, () => ({
      not: random.pick<JsonObject>([{ required: ['a'] }, { type: 'string' }]),
    })),
    ...kept(0.05, () => ({ description: random.pick(['', 'what it is']) })),
    ...kept(0.02, () => ({
      externalDocs: random.pick<Json>([
        { url: 'https://a.example.com' },
        { description: 'a' },
        'x',
      ]),
    })),
    ...kept(0.02, () => ({
      [random.pick([
        '$ref',
        '$schema',
        'id',
        'definitions',
        'dependencies',
        'patternProperties',
        'additionalItems',
        'example',
        'title',
        'unknownKeyword',
      ])]: random.pick<Json>(['x', true, { a: {} }]),
    })),
    ...kept(0.03, () => ({
      'x-kubernetes-validations': [randomRule(random, random.pick(rules))],
    })),
  }
}

const rules = [
  'self == self',
  'self == oldSelf',
  'true',
  'false',
  '1',
  'self.a',
  'has(self.a)',
  'size(self) > 0',
  'self > 1',
  "self.startsWith('a')",
  "self.all(x, x == 'a')",
  'self.x_y == oldSelf.x_y',
  'self.x__dash__y == 1',
  '',
]

/** Values that no keyword expects. */
const odd: readonly Json[] = [
  null,
  '',
  'a',
  'abc',
  0,
  1,
  -1,
  1.5,
  '$number:1.0',
  '$number:1e3',
  '$number:12345678901234567890',
  true,
  {},
  [],
  ['a'],
  [1, 1],
  [{ a: 'a' }, { a: 'a' }],
  { a: 'a' },
  { a: null },
  { unknown: 1 },
  '2024-01-01T00:00:00Z',
  '1h',
  '10.0.0.1',
  '::1',
  'a@b.c',
]

/** A value that mostly fits a schema. */
export function fittingValue(random: Random, schema: JsonObject): Json {
  if (random.chance(0.1)) return random.pick(odd)
  if (Array.isArray(schema.enum) && schema.enum.length > 0)
    return random.pick(schema.enum as readonly Json[])
  switch (schema.type) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>)
      const own = properties
        .filter(() => random.chance(0.6))
        .map(([key, inner]) => [key, fittingValue(random, inner)])
      const values = schema.additionalProperties
      const more =
        typeof values === 'object' && values !== null
          ? [['k', fittingValue(random, values as JsonObject)]]
          : []
      const unknown = random.chance(0.05) ? [['unknown', random.pick(odd)]] : []
      return Object.fromEntries([...own, ...more, ...unknown])
    }
    case 'array':
      return Array.from({ length: random.below(3) }, () =>
        fittingValue(random, (schema.items ?? {}) as JsonObject),
      )
    case 'string':
      return random.pick(
        formatTexts[String(schema.format)] ?? ['a', 'abc', '', '1h', 'x'.repeat(70)],
      )
    case 'integer':
      return random.pick<Json>([0, 1, 2, 7, -3])
    case 'number':
      return random.pick<Json>([0, 1.5, 2])
    case 'boolean':
      return random.chance(0.5)
    default:
      return random.pick(odd)
  }
}
