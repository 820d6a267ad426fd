import { isObject, type Json } from '../../kernel/values/json.ts'
import type { LocatedValue, TextRange } from '../../serializer/serializer.ts'
import type { TextEdit } from '../rules/finding.ts'
import { isFlow } from './nesting.ts'

type Node = LocatedValue<TextRange>

/** What absent fields meant, written before the first field of the map that they belong to. */
export class Defaults {
  readonly #text: string
  readonly #added = new Map<Node, Record<string, Json>>()

  constructor(text: string) {
    this.#text = text
  }

  /** Adds the field at the end of the keys, of which the first is one of the map; a field that is there stays. */
  add(node: Node, keys: readonly string[], value: Json): void {
    if (node.is !== 'map' || node.entries.some(({ key }) => key === keys[0])) return
    const fields = this.#added.get(node) ?? {}
    put(fields, keys, value)
    this.#added.set(node, fields)
  }

  edits(): readonly TextEdit[] {
    return [...this.#added].flatMap(([node, fields]) => this.#insertion(node, fields))
  }

  #insertion(node: Node, fields: Readonly<Record<string, Json>>): readonly TextEdit[] {
    const first = node.is === 'map' ? node.entries[0] : undefined
    const rows = Object.entries(fields).map(([key, value]) => `${key}: ${flowText(value)}`)
    if (isFlow(this.#text, node)) {
      const start = node.at.offset + 1
      const more = first === undefined ? '' : ', '
      return [{ start, end: start, text: rows.join(', ') + more }]
    }
    if (first === undefined) return []
    const { offset: start, column } = first.keyAt
    const margin = `\n${' '.repeat(column - 1)}`
    return [{ start, end: start, text: rows.map((row) => row + margin).join('') }]
  }
}

function put(fields: Record<string, Json>, keys: readonly string[], value: Json): void {
  const [key = '', ...rest] = keys
  if (rest.length === 0) {
    fields[key] = value
    return
  }
  const below = isObject(fields[key]) ? { ...(fields[key] as Record<string, Json>) } : {}
  put(below, rest, value)
  fields[key] = below
}

/** `{type: OnDelete}`: words of schemas, which need no quotes. */
function flowText(value: Json): string {
  if (!isObject(value)) return String(value)
  const rows = Object.entries(value).map(([key, part]) => `${key}: ${flowText(part ?? null)}`)
  return `{${rows.join(', ')}}`
}
