/** Fields that a configuration file gets: in a text of its own, or behind what it says already. */
import type { ConfigKind } from '../../../runtime/kernel/options/config-kind.ts'
import { define } from '../../../runtime/kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../../runtime/kernel/values/json.ts'
import {
  decodeLocatedDocuments,
  type LocatedValue,
  type TextRange,
} from '../../../runtime/serializer/serializer.ts'
import { plainValue, type TextEdit } from '../../../runtime/validate/validate.ts'
import { edited } from '../edited-files.ts'

type Node = LocatedValue<TextRange>
type MapNode = Node & { readonly is: 'map' }
/** By the path of a field. */
type Comments = ReadonlyMap<string, readonly string[]>

/** A field by its path, such as `Generic.Port`. */
export interface NewField {
  readonly path: string
  readonly value: Json
  /** Lines of comments above it, without their marks. */
  readonly comments: readonly string[]
}

/** A configuration file of these fields alone. */
export function newConfigText(
  { apiVersion, kind }: ConfigKind,
  fields: readonly NewField[],
): string {
  return newText(`apiVersion: ${apiVersion}\nkind: ${kind}`, fields)
}

/** A text with fields that it does not have yet, or the field that says something else. */
export async function extendedConfigText(
  text: string,
  fields: readonly NewField[],
): Promise<{ readonly text: string } | { readonly taken: NewField; readonly at: TextRange }> {
  const [document] = await decodeLocatedDocuments(text)
  const root = document?.root as Node | undefined
  if (root?.is !== 'map') return { text: newText(text, fields) }
  const added = new Map<MapNode, { readonly fields: JsonObject; readonly above: string }>()
  for (const field of fields) {
    const { node, rest } = nearest(root, field.path.split('.'))
    if (rest.length === 0 || node.is !== 'map') {
      if (rest.length > 0 || JSON.stringify(plainValue(node)) !== JSON.stringify(field.value)) {
        return { taken: field, at: node.at }
      }
      continue
    }
    const above = field.path.slice(0, field.path.length - rest.join('.').length)
    const more = added.get(node) ?? { fields: {}, above }
    put(more.fields, rest, field.value)
    added.set(node, more)
  }
  const comments = commentsOf(fields)
  const edits = [...added].map(([node, more]) =>
    insertion(text, node, more.fields, (margin) =>
      linesOf(more.fields, margin, comments, more.above),
    ),
  )
  return { text: edited(text, [edits]) }
}

function newText(text: string, fields: readonly NewField[]): string {
  const root: JsonObject = {}
  for (const { path, value } of fields) put(root, path.split('.'), value)
  return [text.trimEnd(), ...linesOf(root, '', commentsOf(fields)), ''].join('\n')
}

/** The deepest map on the way, and what is left of the way. */
function nearest(node: Node, path: readonly string[]): { node: Node; rest: readonly string[] } {
  const [step, ...rest] = path
  const entry = node.is === 'map' ? node.entries.find(({ key }) => key === step) : undefined
  return entry === undefined ? { node, rest: path } : nearest(entry.value, rest)
}

/** Behind the last entry of the map. */
function insertion(
  text: string,
  { entries, at }: MapNode,
  fields: JsonObject,
  lines: (margin: string) => readonly string[],
): TextEdit {
  const first = entries[0]
  if (text[at.offset] === '{' || first === undefined) {
    const start = at.offset + 1
    const inner = JSON.stringify(fields).slice(1, -1)
    return { start, end: start, text: first === undefined ? inner : `${inner}, ` }
  }
  const ends = text.indexOf('\n', Math.max(...entries.map(({ value }) => endOf(value))) - 1)
  const start = ends < 0 ? text.length : ends + 1
  const rows = lines(' '.repeat(first.keyAt.column - 1)).map((row) => `${row}\n`)
  return { start, end: start, text: `${ends < 0 ? '\n' : ''}${rows.join('')}` }
}

function endOf(node: Node): number {
  const parts = node.is === 'map' ? node.entries.map(({ value }) => value) : []
  const items = node.is === 'list' ? node.items : []
  return Math.max(node.at.end, ...[...parts, ...items].map(endOf))
}

function put(root: JsonObject, path: readonly string[], value: Json): void {
  const [key = '', ...rest] = path
  if (rest.length === 0) {
    define(root, key, value)
    return
  }
  const known = root[key]
  const below: JsonObject = isObject(known) ? known : {}
  define(root, key, below)
  put(below, rest, value)
}

function commentsOf(fields: readonly NewField[]): Comments {
  return new Map(fields.map(({ path, comments }) => [path, comments]))
}

/** Maps as blocks, everything else as JSON, which YAML contains. */
function linesOf(
  fields: JsonObject,
  margin: string,
  comments: Comments,
  above = '',
): readonly string[] {
  return Object.entries(fields).flatMap(([key, value = null]) => {
    const path = above + key
    const name = /^[A-Za-z][\w./-]*$/.test(key) ? key : JSON.stringify(key)
    const said = (comments.get(path) ?? []).map((line) => `${margin}#${line}`)
    if (!isObject(value) || Object.keys(value).length === 0) {
      return [...said, `${margin}${name}: ${JSON.stringify(value)}`]
    }
    const below = linesOf(value, `${margin}  `, comments, `${path}.`)
    return [...said, `${margin}${name}:`, ...below]
  })
}
