/** Documents made by published JSON Schemas: right ones, and such that are wrong in one or two places. */
import type { Json, JsonObject } from '../../runtime/kernel/values/json.ts'
import { oddTexts, words, wrongTypes } from '../../tools/compare/odd-values.ts'
import type { Random } from '../../tools/compare/random.ts'
import { withValue } from '../../tools/compare/value-places.ts'

/** The part of draft 7 that is published. */
export interface PublishedNode {
  readonly $ref?: string
  readonly allOf?: readonly PublishedNode[]
  readonly anyOf?: readonly PublishedNode[]
  readonly type?: string | readonly string[]
  readonly enum?: readonly Json[]
  readonly examples?: readonly Json[]
  readonly const?: Json
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, PublishedNode>>
  readonly additionalProperties?: PublishedNode | false
  readonly items?: PublishedNode
}

/** A whole published schema. */
export interface PublishedRoot extends PublishedNode {
  readonly definitions?: Readonly<Record<string, PublishedNode>>
}

interface Place {
  readonly path: readonly (string | number)[]
  readonly node: PublishedNode
  readonly isAbsent: boolean
}

/** Texts of each sort that a rule may refuse. */
const someTexts = [
  '',
  ' ',
  'A',
  'a_b',
  '../x',
  'a/b',
  'ü',
  '-1',
  '10.0.0.0/33',
  '101%',
  'x'.repeat(254),
]

/** How many levels of a made value have fields that may be absent. */
const deepest = 4

/** Makes documents of one kind. */
export class NearMisses {
  readonly #root: PublishedRoot
  readonly #random: Random

  constructor(root: PublishedRoot, random: Random) {
    this.#root = root
    this.#random = random
  }

  /** A right object with some more fields that its schema allows. */
  plausible(sample: JsonObject): JsonObject {
    return this.#changed(sample, (node) => this.#value(node, 1))
  }

  /** A right object with one or two values that are absent, odd, of another type or not known. */
  nearMiss(sample: JsonObject): JsonObject {
    const once = this.#changed(sample, (node) => this.#odd(node))
    return this.#random.chance(0.3) ? this.#changed(once, (node) => this.#odd(node)) : once
  }

  /**
   * An object with one wrong or odd value, for each value that may be so at each field: those of the sample, those that may stand beside
   * them, and what is in these. `told` has the fields (`Type.field`) that need no more of them, and gets those that had their turn.
   */
  *everyMiss(sample: JsonObject, told: Set<string>): Iterable<JsonObject> {
    const waiting = [sample]
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      for (const { path, node, isAbsent } of this.#free(one)) {
        const field = this.typesAt(one, path.join('.')).slice(-2).join(' ')
        if (told.has(field)) continue
        told.add(field)
        for (const value of this.#everyOdd(node)) yield withValue(one, path, value) as JsonObject
        const [type = ''] = typesOf(node)
        if (!isAbsent || !['object', 'array'].includes(type)) continue
        waiting.push(withValue(one, path, this.#value(node, 1)) as JsonObject)
      }
    }
  }

  /** The types on the way to a place, as `Type.`, and their fields, as `Type.field`. */
  typesAt(document: JsonObject, path: string): readonly string[] {
    const found = [`${String(document.kind)}.`]
    let [node, type, field]: [PublishedNode, string, string] = [
      this.#root,
      String(document.kind),
      '',
    ]
    for (const step of path.split('.')) {
      const { properties = {}, items, additionalProperties } = this.#resolved(node)
      const known = Object.hasOwn(properties, step) ? properties[step] : undefined
      const next = known ?? items ?? (additionalProperties || undefined)
      if (next === undefined) break
      const [name] = namesOf(next)
      if (known !== undefined) field = field === '' ? step : `${field}.${step}`
      else field = `${field}${items === undefined ? '{}' : '[]'}`
      found.push(`${type}.${field}`)
      if (name !== undefined) {
        ;[type, field] = [name, '']
        found.push(`${type}.`)
      }
      node = next
    }
    return found
  }

  #changed(sample: JsonObject, make: (node: PublishedNode) => Json | undefined): JsonObject {
    const { path, node } = this.#random.pick(this.#free(sample))
    return withValue(sample, path, make(node)) as JsonObject
  }

  /** The places whose values authors choose. */
  #free(sample: JsonObject): readonly Place[] {
    return this.#places(sample, this.#root, []).filter(
      ({ path: [first] }) => first !== 'apiVersion' && first !== 'kind' && first !== 'status',
    )
  }

  /** Every place of a value that a schema knows, those that are absent, too. */
  #places(value: Json | undefined, given: PublishedNode, path: Place['path']): readonly Place[] {
    const node = this.#resolved(given)
    const here = path.length === 0 ? [] : [{ path, node, isAbsent: value === undefined }]
    if (Array.isArray(value)) {
      const { items } = node
      if (items === undefined) return here
      return [
        ...here,
        ...value.flatMap((item, index) => this.#places(item, items, [...path, index])),
      ]
    }
    if (typeof value !== 'object' || value === null) return here
    const object = value as JsonObject
    const { properties = {}, additionalProperties } = node
    const own = Object.entries(properties).flatMap(([name, one]) =>
      this.#places(object[name], one, [...path, name]),
    )
    const others = additionalProperties || undefined
    const more = Object.keys(object).filter((key) => others && !Object.hasOwn(properties, key))
    const free = more.flatMap((key) =>
      this.#places(object[key], others as PublishedNode, [...path, key]),
    )
    return [...here, ...own, ...free]
  }

  #resolved(node: PublishedNode): PublishedNode {
    const { $ref, allOf, ...beside } = node
    const target =
      $ref === undefined ? undefined : this.#root.definitions?.[$ref.split('/')[2] ?? '']
    const parts = [target, ...(allOf ?? [])].flatMap((one) => (one ? [this.#resolved(one)] : []))
    return Object.assign({}, ...parts, beside)
  }

  /** A value that the schema allows. */
  #value(given: PublishedNode, depth: number): Json {
    const random = this.#random
    const node = this.#resolved(given)
    if (node.const !== undefined) return node.const
    const values = (node.enum ?? node.examples ?? []).filter((one) => one !== null && one !== '')
    if (values.length > 0) return random.pick(values)
    if (node.anyOf !== undefined) return this.#value(random.pick(node.anyOf), depth)
    switch (typesOf(node)[0]) {
      case 'string':
        return textOf(node, random)
      case 'integer': {
        const { minimum = 0, maximum = 2 ** 31 - 1 } = node
        return Math.min(maximum, minimum + random.below(5))
      }
      case 'number':
        return random.pick([0, 0.5, 7])
      case 'boolean':
        return random.chance(0.5)
      case 'array':
        return depth > deepest ? [] : [this.#value(node.items ?? {}, depth + 1)]
      case 'object':
        return this.#object(node, depth)
      default:
        return random.pick<Json>(['a', 1, { a: 1 }])
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: PublishedNode, depth: number) {
    const random = this.#random
    const share = depth >= deepest ? 0 : 0.4 / depth
    const given = Object.entries(properties).filter(
      ([name]) => required.includes(name) || random.chance(share),
    )
    const made = given.map(([name, one]) => [name, this.#value(one, depth + 1)] as const)
    if (!additionalProperties || depth > deepest) return Object.fromEntries(made)
    const key = random.pick(words)
    return Object.fromEntries([...made, [key, this.#value(additionalProperties, depth + 1)]])
  }

  /** A value that may be wrong. */
  #odd(node: PublishedNode): Json | undefined {
    const random = this.#random
    if (random.chance(0.2)) return this.#value(node, 1)
    if (random.chance(0.12)) return undefined
    if (random.chance(0.2)) return random.pick(wrongTypes)
    const { minimum = 0, maximum = 2 ** 31 - 1 } = node
    switch (typesOf(node)[0]) {
      case 'string':
        return random.pick([...oddTexts, ...(node.enum ?? []).map((one) => `${one}s`), 'yesterday'])
      case 'integer':
      case 'number':
        return random.pick([minimum - 1, minimum, maximum, maximum + 1, 0, -1, 1.5, '7'])
      case 'boolean':
        return random.pick<Json>([true, false, 'true', 'yes', 0])
      case 'array': {
        const item = this.#value(node.items ?? {}, 2)
        return random.pick<Json>([
          [],
          [null],
          [{}],
          [item, item],
          [this.#odd(node.items ?? {}) ?? null],
        ])
      }
      case 'object':
        return random.pick<Json>([
          {},
          { unknownField: 1 },
          { [random.pick(oddTexts)]: random.pick(oddTexts) },
          this.#withSlip(node),
        ])
      default:
        return random.pick(wrongTypes)
    }
  }

  /** Values of each sort that may be wrong at a place; undefined is none. */
  #everyOdd(node: PublishedNode): readonly (Json | undefined)[] {
    const { minimum = 0, maximum = 2 ** 31 - 1 } = node
    switch (typesOf(node)[0]) {
      case 'string':
        return [undefined, 1, ...someTexts, ...(node.enum ?? []).map((one) => `${one}s`)]
      case 'integer':
      case 'number':
        return [undefined, minimum - 1, minimum, maximum, maximum + 1, 0, 1.5, '7']
      case 'boolean':
        return [undefined, true, false, 'true']
      case 'array': {
        const item = this.#value(node.items ?? {}, 2)
        return [undefined, [], [null], [{}], [item], [item, item], 'a']
      }
      case 'object':
        return [undefined, {}, { unknownField: 1 }, { A_b: 'a' }, this.#withSlip(node), []]
      default:
        return [undefined, ...wrongTypes]
    }
  }

  /** An object one of whose names is written almost right. */
  #withSlip(node: PublishedNode): Json {
    const made = this.#value({ ...node, type: 'object' }, 2) as JsonObject
    const [name] = Object.keys(made)
    return name === undefined ? {} : { ...made, [`${name}s`]: made[name] ?? null }
  }
}

function typesOf({ type = [] }: PublishedNode): readonly string[] {
  const types = typeof type === 'string' ? [type] : type
  return types.filter((one) => one !== 'null')
}

function textOf({ format, pattern }: PublishedNode, random: Random): string {
  if (format === 'date-time') return '2024-01-01T00:00:00Z'
  if (format === 'byte') return 'YWI='
  if (pattern?.startsWith('^[+-]?([0-9]+')) return random.pick(['1', '500m', '2Gi'])
  return random.pick(words)
}

/** The types that a schema refers to; the same name stands for several types with a number. */
function namesOf({ $ref, allOf = [] }: PublishedNode): readonly string[] {
  const own = $ref === undefined ? [] : [($ref.split('/')[2] ?? '').replace(/(AnyValue)?\d*$/, '')]
  return [...own, ...allOf.flatMap(namesOf)]
}
