import type { Steps } from '../../kernel/async/slices.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { numberText } from '../../kernel/values/number-text.ts'
import { compareKeys } from './key-order.ts'
import { type ScalarPlace, scalarText } from './yaml-scalar-text.ts'

/** Bytes of a key that may stand on the line of its value. */
const longestKey = 128

const breaks = /[\n\r\u0085\u2028\u2029]/

/** Values that are written between two steps, and about how many microseconds that takes. */
const stepValues = 256
const stepCost = 400

/** What holds a value. */
type Container = 'document' | 'map' | 'list'

/** Writes values as block YAML: keys sorted, two spaces a level, lists not indented. */
export class YamlWriter {
  readonly #parts: string[] = []
  #left = stepValues

  /** The text that was written. The writer is empty then. */
  take(): Buffer {
    return Buffer.from(this.#parts.splice(0).join(''))
  }

  /** Writes a text as it is. */
  text(text: string): void {
    this.#parts.push(text)
  }

  /** Writes a document, or the value of a key or item, whose further lines begin at `indent` and that begins at `column`. */
  *value(value: Json, indent: number, inside: Container, column = indent): Steps<void> {
    if (--this.#left <= 0) {
      this.#left = stepValues
      yield stepCost
    }
    if (Array.isArray(value) && value.length > 0) {
      if (inside === 'map') this.text('\n')
      yield* this.#list(value, inside === 'map' ? indent - 2 : indent, inside === 'list')
    } else if (isObject(value) && Object.keys(value).length > 0) {
      if (inside === 'map') this.text('\n')
      yield* this.#map(value, indent, inside === 'list')
    } else this.text(`${inside === 'map' ? ' ' : ''}${textOf(value, { indent, column })}\n`)
  }

  /** The first line of a list or map in a list stands on the line of its item. */
  *#list(items: readonly Json[], indent: number, inline: boolean): Steps<void> {
    const margin = ' '.repeat(indent)
    for (const [index, item] of items.entries()) {
      this.text(index === 0 && inline ? '- ' : `${margin}- `)
      yield* this.value(item, indent + 2, 'list')
    }
  }

  *#map(map: JsonObject, indent: number, inline: boolean): Steps<void> {
    const margin = ' '.repeat(indent)
    const keys = Object.keys(map)
    for (const [index, key] of (keys.length > 1 ? keys.sort(compareKeys) : keys).entries()) {
      if (index > 0 || !inline) this.text(margin)
      const simple = Buffer.byteLength(key) <= longestKey && !breaks.test(key)
      const text = scalarText(key, { indent: indent + 2, column: indent + 2, key: simple })
      this.text(simple ? `${text}:` : `? ${text}\n${margin}: `)
      const column = indent + (simple ? text.length : 0) + 2
      yield* this.value(map[key] ?? null, indent + 2, simple ? 'map' : 'list', column)
    }
  }
}

/** A scalar, or an empty list or map. */
function textOf(value: Json, place: ScalarPlace): string {
  if (typeof value === 'string') return scalarText(value, place)
  if (Array.isArray(value)) return '[]'
  if (typeof value === 'object' && value !== null) return '{}'
  return typeof value === 'number' ? numberText(value) : String(value)
}
