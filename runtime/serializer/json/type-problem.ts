/** Why a value cannot be decoded as the struct of a kind, in the words of the public decoder. */
import type { FieldType, FieldTypeRow, FieldTypes } from '../../kernel/descriptors/field-types.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Numeral } from '../format/decoded.ts'
import { mismatch, scalarProblem } from './scalar-problem.ts'
import type { TypeHints } from './type-hints.ts'
import { typeName } from './type-name.ts'

/**
 * The problem that the public decoder tells of a value; undefined if it finds none. A value of a wrong type is remembered, and the
 * first one told; a text that a type of its own refuses ends the reading and is told at once.
 */
export function typeProblem(
  types: FieldTypes,
  struct: string,
  value: Json,
  { numerals = [], sorted = false }: TypeHints = {},
): string | undefined {
  return new TypedWalk(types, numerals, sorted).problem(struct, value)
}

/** What the walk is inside of: the struct that is named, and the fields that led to the value. */
interface Place {
  readonly struct: string
  readonly fields: readonly string[]
}

class TypedWalk {
  readonly #types: FieldTypes
  readonly #numerals: ReadonlyMap<string, string>
  readonly #sorted: boolean
  readonly #path: (string | number)[] = []
  #place: Place = { struct: '', fields: [] }
  #first: string | undefined

  constructor(types: FieldTypes, numerals: readonly Numeral[], sorted: boolean) {
    this.#types = types
    this.#sorted = sorted
    this.#numerals = new Map(numerals.map(({ path, text }) => [pathKey(path), text]))
  }

  problem(struct: string, value: Json): string | undefined {
    return this.#value(struct, typeName(struct), value) ?? this.#first
  }

  /** Walks through a value. What it gives ends the walk. */
  #value(type: FieldType, name: string, value: Json): string | undefined {
    if (value === null) return undefined
    if (type.startsWith('[]')) return this.#list(type.slice(2), name, value)
    if (type.startsWith(mapPrefix)) return this.#map(type.slice(mapPrefix.length), name, value)
    const fields = ownOf(this.#types.structs, type)
    if (fields !== undefined) return this.#struct(type, fields, name, value)
    const members = ownOf(this.#types.unions, type)
    if (members !== undefined) return this.#union(members, value)
    const found = scalarProblem(type, name, value, this.#numeral(value))
    if (found === undefined) return undefined
    return this.#tell(found.text, found.name, found.ends)
  }

  #list(items: FieldType, name: string, value: Json): string | undefined {
    if (!Array.isArray(value)) return this.#mismatch(value, name)
    const inner = name.startsWith('[]') ? name.slice(2) : typeName(items)
    return this.#each(value.entries(), (item) => this.#value(items, inner, item))
  }

  #map(values: FieldType, name: string, value: Json): string | undefined {
    if (!isObject(value)) return this.#mismatch(value, name)
    const inner = name.startsWith('map[') ? name.slice(name.indexOf(']') + 1) : typeName(values)
    return this.#each(this.#entries(value), (item) => this.#value(values, inner, item))
  }

  #struct(
    id: string,
    fields: Readonly<Record<string, FieldTypeRow>>,
    name: string,
    value: Json,
  ): string | undefined {
    if (!isObject(value)) return this.#mismatch(value, name)
    const outer = this.#place
    const struct = id.slice(id.lastIndexOf('.') + 1)
    const found = this.#each(this.#entries(value), (item, field) => {
      const row = ownOf(fields, String(field))
      if (row === undefined) return undefined
      this.#place = { struct, fields: [...outer.fields, String(field)] }
      const [type, shown] = typeof row === 'string' ? [row, typeName(row)] : row
      return this.#value(type, shown, item)
    })
    if (found === undefined) this.#place = outer
    return found
  }

  /** A member is decoded by itself: only what it is about is told, at the place of the union. */
  #union(members: readonly FieldType[], value: Json): string | undefined {
    const lists = members.filter((each) => each.startsWith('[]'))
    const type = Array.isArray(value)
      ? lists[0]
      : isObject(value)
        ? this.#structOf(members)
        : 'bool'
    if (type === undefined || (type === 'bool' && typeof value === 'boolean')) return undefined
    if (type === 'bool') return members.includes('bool') ? notBoolOrSchema : undefined
    const inner = new TypedWalk(this.#types, [], this.#sorted)
    const problem = inner.#value(type, typeName(type), value) ?? inner.#first
    if (problem === undefined) return undefined
    const [, got = '', name = ''] =
      /^json: cannot unmarshal (.*) into .* of type (.*)$/s.exec(problem) ?? []
    return got === '' ? problem : this.#told(got, name)
  }

  #structOf(members: readonly FieldType[]): FieldType | undefined {
    return members.find((each) => ownOf(this.#types.structs, each) !== undefined)
  }

  #each(
    entries: Iterable<readonly [string | number, Json | undefined]>,
    walk: (item: Json, key: string | number) => string | undefined,
  ): string | undefined {
    for (const [key, item] of entries) {
      this.#path.push(key)
      const found = walk(item ?? null, key)
      this.#path.pop()
      if (found !== undefined) return found
    }
    return undefined
  }

  #entries(value: JsonObject): readonly (readonly [string, Json | undefined])[] {
    const entries = Object.entries(value)
    return this.#sorted ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries
  }

  #mismatch(value: Json, name: string): undefined {
    this.#tell(mismatch(value), name, false)
  }

  /** `got` is told as what a value of the type is not; without a name it is told as it is. */
  #tell(got: string, name: string | undefined, ends: boolean): string | undefined {
    const text = name === undefined ? got : this.#told(got, name)
    if (ends) return text
    this.#first ??= text
    return undefined
  }

  #told(got: string, name: string): string {
    const { struct, fields } = this.#place
    const target = struct === '' ? 'value' : `struct field ${struct}.${fields.join('.')}`
    return `json: cannot unmarshal ${got} into Go ${target} of type ${name}`
  }

  #numeral(value: Json): string | undefined {
    if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
    return this.#numerals.get(pathKey(this.#path)) ?? String(value)
  }
}

const mapPrefix = 'map[string]'
const notBoolOrSchema = 'boolean or JSON schema expected'

function ownOf<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

function pathKey(path: readonly (string | number)[]): string {
  return JSON.stringify(path)
}
