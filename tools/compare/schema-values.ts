import type { Api } from '../../codegen/schema/ir.ts'
import type { NamedType, PlainType, StructType, Type } from '../../codegen/schema/named-type.ts'
import type { Json } from '../../runtime/kernel/values/json.ts'
import { oddIntegers, oddScalars, oddTexts, scalars, words, wrongTypes } from './odd-values.ts'
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
}

/** The share of optional fields that are there, by depth: deeper values are smaller, and recursion ends. */
const presence = [0.4, 0.4, 0.3, 0.1, 0.05]

/** Made once for each scheme. */
const typesByApi = new WeakMap<Api, ReadonlyMap<string, NamedType>>()

/** Named types by their id. */
function typesOf(api: Api): ReadonlyMap<string, NamedType> {
  const known = typesByApi.get(api) ?? new Map(api.types.map((type) => [type.id, type]))
  typesByApi.set(api, known)
  return known
}
