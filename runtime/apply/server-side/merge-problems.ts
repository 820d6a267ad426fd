/** What keeps an applied configuration from being merged, in the words and in the order of the public library that merges it. */
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import type { ReadReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { printElement } from '../field-set/path-element.ts'
import { unidentified } from '../typed/collect-fields.ts'
import { fieldShape, formOf, itemElement, itemShape } from '../typed/merge-shape.ts'
import { typeMismatch } from './type-words.ts'

/**
 * One text for each problem of a configuration of which a reader reported this: values that no merge takes, fields that the
 * schema does not have, items that cannot be told apart. What only the kind refuses, such as a number that is too large or a time
 * that is none, is found in what was merged.
 */
export function readerProblems(
  config: JsonObject,
  merge: MergeStrategy | undefined,
  { typeErrors, unknownFields }: Pick<ReadReport, 'typeErrors' | 'unknownFields'>,
): readonly string[] {
  if (typeErrors.length === 0 && unknownFields.length === 0) return []
  const walk = new ProblemWalk(
    new Map(typeErrors.map(({ path, message }) => [plainPath(path), wantedType(message)])),
    new Set(unknownFields.map(plainPath)),
  )
  walk.object(config, merge, { key: '', at: '' })
  return walk.problems
}

/** The type that a reader wanted. Texts that are decoded further are scalars to a merge. */
function wantedType(message: string): string {
  const want = /of type (.+)$/.exec(message)?.[1] ?? ''
  if (want === 'base64 string') return 'string'
  return decoded.has(want) ? 'scalar' : want
}

const decoded: ReadonlySet<string> = new Set(['date-time', 'duration', 'quantity'])

/** A path whose steps all begin with a dot. */
function plainPath(path: string): string {
  return `.${path.replace(/\[([^\]]*)\]/g, '.$1')}`
}

/** Where a value stands: its plain path, and its path as messages state it. */
interface Place {
  readonly key: string
  readonly at: string
}

class ProblemWalk {
  readonly problems: string[] = []
  readonly #types: ReadonlyMap<string, string>
  readonly #unknown: ReadonlySet<string>

  constructor(types: ReadonlyMap<string, string>, unknown: ReadonlySet<string>) {
    this.#types = types
    this.#unknown = unknown
  }

  object(value: JsonObject, merge: MergeStrategy | undefined, { key, at }: Place): void {
    for (const [name, inner] of Object.entries(value)) {
      const place = { key: `${key}.${name}`, at: `${at}.${name}` }
      if (inner === undefined) continue
      if (this.#unknown.has(place.key)) this.#tell(place, 'field not declared in schema')
      else this.#value(inner, fieldShape(merge, name), place)
    }
  }

  #value(value: Json, merge: MergeStrategy | undefined, place: Place): void {
    const type = this.#types.get(place.key)
    const why = type === undefined ? undefined : typeMismatch(value, type)
    if (why !== undefined) this.#tell(place, why)
    else if (Array.isArray(value)) this.#list(value, merge, place)
    else if (isObject(value)) this.object(value, merge, place)
  }

  #list(list: readonly Json[], merge: MergeStrategy | undefined, place: Place): void {
    const { key, at } = place
    const told = merge !== undefined && formOf(list as Json, merge) === 'list' ? merge : undefined
    const seen = new Set<string>()
    for (const [index, item] of list.entries()) {
      const why = told && unidentified(item, told)
      if (why !== undefined) {
        this.#tell(place, `element ${index}: ${why}`)
        return
      }
      const element = told && itemElement(item, told)
      const step = element === undefined ? `[${index}]` : printElement(element)
      if (element !== undefined && seen.has(element))
        this.#tell(place, `duplicate entries for key ${step}`)
      if (element !== undefined) seen.add(element)
      this.#value(item, itemShape(merge), { key: `${key}.${index}`, at: `${at}${step}` })
    }
  }

  #tell({ at }: Place, why: string): void {
    this.problems.push(`${at}: ${why}`)
  }
}
