import type { Random } from '../../runtime/kernel/async/clock.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'

interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Makes objects of a kind that nobody would write: right and wrong values, nulls and nothing, at random. */
export type OddObjects = (kind: string, random: Random) => unknown

/** How many levels of an object are filled. */
const deepest = 9

const texts = [
  '',
  'a',
  'web',
  '-1',
  '0',
  '80%',
  'A/b',
  'x'.repeat(70),
  '*',
  '1Gi',
  '10.0.0.1',
  '\ud800',
  '\0',
]
const numbers = [0, 1, -1, 65536, 2 ** 31 - 1]
/** Values of types and formats that not every text or number fits. */
const forms: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['Time', ['2030-01-01T00:00:00Z', null]],
  ['MicroTime', ['2030-01-01T00:00:00.123456Z', null]],
  ['Quantity', ['1', '-1', '0', '100m', '1Gi', 2]],
  ['IntOrString', [0, 1, -1, '50%', '101%', 'http', '']],
  ['Duration', ['1s', '0s']],
  ['date-time', ['2030-01-01T00:00:00Z']],
  ['byte', ['', 'YQ==']],
])
const anything = [null, '', 'x', 0, -5, true, [], {}, [null], { a: null }, [[]], '__proto__']

/** Reads the published documents of a tree, in whose shape the objects are made. */
export async function oddObjects(scheme: Scheme): Promise<OddObjects> {
  const documents = Object.values(await scheme.openapi()).map(
    (text) => JSON.parse(text) as Document,
  )
  const schemas = new Map(documents.flatMap(({ components }) => Object.entries(components.schemas)))
  const roots = new Map(
    [...schemas].map(([name, schema]) => [name.split('.').at(-1) ?? '', schema]),
  )
  return (kind, random) => {
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
    const valueFor = (schema: Schema, depth: number): unknown => {
      if (random() < 0.004) return pick(anything)
      const target = schema.$ref ?? schema.allOf?.[0]?.$ref
      if (target !== undefined) {
        const named = forms.get(target.split('.').at(-1) ?? '')
        if (named !== undefined) return pick(named)
        return valueFor(schemas.get(target.slice('#/components/schemas/'.length)) ?? {}, depth)
      }
      if (schema.enum !== undefined && random() < 0.9) return pick(schema.enum)
      switch (schema.type) {
        case 'string':
          return pick(forms.get(schema.format ?? '') ?? texts)
        case 'integer':
        case 'number':
          return pick(numbers)
        case 'boolean':
          return random() < 0.5
        case 'array':
          return listFor(schema.items ?? {}, depth)
        case 'object':
          return fieldsFor(schema, depth)
        default:
          return pick(anything)
      }
    }
    const listFor = (items: Schema, depth: number): unknown =>
      Array.from({ length: Math.floor(random() * 3) }, () => valueFor(items, depth + 1))
    const fieldsFor = ({ properties, additionalProperties }: Schema, depth: number): object => {
      const names = Object.entries(properties ?? {})
      const wanted = depth === 0 ? 1 : depth > deepest ? 0 : Math.min(0.8, 6 / names.length + 0.2)
      const fields = names
        .filter(() => random() < wanted)
        .map(([name, schema]) => [name, valueFor(schema, depth + 1)] as const)
      const more = additionalProperties
        ? [[pick(texts), valueFor(additionalProperties, depth + 1)] as const]
        : []
      return Object.fromEntries([...fields, ...more])
    }
    return fieldsFor(roots.get(kind) ?? {}, 0)
  }
}
