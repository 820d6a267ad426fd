/** Definitions made to be expensive, and an object whose rules spend all that they may. */
import { largeStyles } from '../styles/large.ts'

/** A definition, under a name that is new each time. */
export interface WorstDefinition {
  readonly name: string
  readonly definition: (plural: string) => Named
  /** An object of the kind that is written afterwards; its hold is what counts. */
  readonly object?: object
}

/** As much of a definition as is changed here. */
interface Named {
  readonly spec: object
  readonly metadata: { readonly name: string }
}

/** As much of its spec as is changed here. */
interface Spec {
  readonly group: string
  readonly scope: string
  readonly names: { readonly plural: string; readonly kind: string }
  readonly versions: readonly object[]
}

/** Definitions within all bounds that are made to take long, each with the objects that make its rules work. */
export function worstDefinitions(): readonly WorstDefinition[] {
  const text = { type: 'string' }
  const short = { type: 'string', maxLength: 3 }
  return [
    { name: 'a large real definition', definition: (plural) => largest(plural) },
    patterns('9,000 different patterns', 9000, (n) => `^[a-z]{1,20}(${n}|x+)*$`),
    patterns('long patterns', 5000, (n) => `^${'ab?'.repeat(25)}${n}$`),
    patterns('patterns that compile to long programs', 440, (n) => `(((a{10}){10}){9}${n})`),
    patterns('more patterns than there may be', 5000, (n) => `(((a{10}){10}){9}${n})`),
    schema('10,000 short rules', (n) => ({ ...short, ...rules([`self != '${n}'`]) })),
    schema('long rules', (n) => ({
      ...short,
      ...rules([many(60, (m) => `self != '${n}.${m}'`, ' && ')]),
    })),
    one('one object with thousands of rules over many fields', {
      type: 'object',
      properties: named(3000, () => short),
      ...rules(
        Array.from(
          { length: 3000 },
          (_, n) => `self.p${n} != 'x' || self.p${(n * 7) % 3000} == 'y'`,
        ),
      ),
    }),
    schema('many alternatives', (n) => ({
      ...text,
      anyOf: Array.from({ length: 3 }, (_, m) => ({ minLength: n + m })),
    })),
    one('a default of many items', {
      type: 'array',
      items: { ...text, anyOf: Array.from({ length: 500 }, (_, n) => ({ minLength: 100 + n })) },
      default: Array.from({ length: 20_000 }, () => 'a'),
    }),
    one('long enumerations', {
      type: 'object',
      properties: named(4, (m) => ({
        ...text,
        enum: Array.from({ length: 20_000 }, (_, n) => `v${m}.${n}`),
      })),
    }),
    changed('thousands of versions', ({ versions: [first, ...rest], ...spec }) => ({
      ...spec,
      versions: [
        ...[first, ...rest],
        ...Array.from({ length: 3000 }, (_, n) => ({
          ...first,
          name: `v${n + 2}`,
          storage: false,
        })),
      ],
    })),
    changed('thousands of columns', ({ versions: [first], ...spec }) => ({
      ...spec,
      versions: [{ ...first, additionalPrinterColumns: columns(9000, (n) => `.spec.a${n}`) }],
    })),
    changed('a column with a path of 100,000 steps', ({ versions: [first], ...spec }) => ({
      ...spec,
      versions: [{ ...first, additionalPrinterColumns: columns(1, () => '.a'.repeat(100_000)) }],
    })),
    changed('thousands of short names', ({ names, ...spec }) => ({
      ...spec,
      names: {
        ...names,
        shortNames: Array.from({ length: 9000 }, (_, n) => `${names.plural}${n}`),
      },
    })),
    one('a rule of a megabyte', {
      type: 'integer',
      ...rules([many(90_000, () => 'self > 1', '||')]),
    }),
    items('many required names', { required: Object.keys(named(5000, () => text)) }),
    items('alternatives with many names', { anyOf: [{ properties: named(5000, () => ({})) }] }),
    items('defaults that grow', { properties: named(5000, () => ({ ...text, default: 'a' })) }),
    items('objects to compare with', { enum: Object.values(named(5000, (n) => ({ a: n }))) }),
    {
      name: 'an object whose rules spend their budget',
      definition: (plural) =>
        defined(plural, {
          type: 'object',
          properties: {
            list: { type: 'array', maxItems: 300, items: { type: 'integer' } },
            items: {
              type: 'array',
              maxItems: 9,
              items: {
                type: 'object',
                ...rules(Array.from({ length: 4 }, (_, n) => spending(n))),
                properties: { list: { type: 'array', maxItems: 300, items: { type: 'integer' } } },
              },
            },
          },
        }),
      object: {
        spec: {
          items: Array.from({ length: 9 }, () => ({
            list: Array.from({ length: 300 }, (_, n) => n),
          })),
        },
      },
    },
  ]
}

/** Costs nearly what one evaluation may. */
function spending(n: number): string {
  return `self.list.all(a, self.list.all(b, a + b >= -${n}))`
}

function rules(expressions: readonly string[]): object {
  return { 'x-orch-validations': expressions.map((rule) => ({ rule })) }
}

const size = 1_450_000

/** Patterns that no other definition has: those that are in use somewhere are compiled once. */
function patterns(name: string, count: number, pattern: (n: string) => string): WorstDefinition {
  const definition = (plural: string) =>
    defined(plural, {
      type: 'object',
      properties: named(count, (n) => ({ type: 'string', pattern: pattern(`${plural}${n}`) })),
    })
  return { name, definition }
}

/** As many fields as fit into an object that is stored. */
function schema(name: string, field: (n: number) => object): WorstDefinition {
  const properties: Record<string, object> = {}
  let length = 0
  for (let n = 0; n < 9_000; n++) {
    const next = field(n)
    length += JSON.stringify(next).length + 9
    if (length > size) break
    properties[`p${n}`] = next
  }
  return one(name, { type: 'object', properties })
}

function one(name: string, spec: object): WorstDefinition {
  return { name, definition: (plural) => defined(plural, spec) }
}

/** A definition of which a part is made otherwise. */
function changed(name: string, change: (spec: Spec) => object): WorstDefinition {
  const definition = (plural: string) => {
    const { metadata, spec } = defined(plural, { type: 'object' })
    return { metadata, spec: change(spec) }
  }
  return { name, definition }
}

function columns(count: number, path: (n: number) => string): readonly object[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `c${n}`,
    type: 'string',
    jsonPath: path(n),
  }))
}

/** An object of 20,000 empty items, each of which has to be looked at by the schema. */
function items(name: string, item: object): WorstDefinition {
  const definition = (plural: string) =>
    defined(plural, {
      type: 'array',
      items: { type: 'object', 'x-orch-preserve-unknown-fields': true, ...item },
    })
  return { name, definition, object: { spec: Array.from({ length: 20_000 }, () => ({})) } }
}

function named(count: number, field: (n: number) => object): object {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, field(n)]))
}

function many(count: number, piece: (n: number) => string, between: string): string {
  return Array.from({ length: count }, (_, n) => piece(n)).join(between)
}

/** The group of the kinds that these definitions make. */
export const group = 'worst.example.com'

function defined(plural: string, spec: object): Named & { readonly spec: Spec } {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}`
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

function largest(plural: string): Named {
  const { kind, definition } = largeStyles.reduce((a, b) =>
    JSON.stringify(a.definition).length > JSON.stringify(b.definition).length ? a : b,
  )
  const text = JSON.stringify(definition)
    .replaceAll(`"${kind}"`, `"${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}"`)
    .replaceAll(`${kind.toLowerCase()}s`, plural)
  return JSON.parse(text) as Named
}
