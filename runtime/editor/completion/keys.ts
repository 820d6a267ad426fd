/** The keys that a map may have, and the fields of an object that has none yet. */
import { fieldText } from '../hover/field-text.ts'
import { type FieldSchema, schemaAt } from '../schema/value-schema.ts'
import { entryOf, type Step } from '../text/cursor.ts'
import type { EditorContext } from '../workspace/names.ts'
import { type Item, type Position, scalarText } from './item.ts'
import { labelKeys } from './labels.ts'
import { type Form, fieldSnippet, valueSnippet } from './snippet.ts'

/** The keys beside which one is typed. */
export function keyItems(position: Position, context: EditorContext): readonly Item[] {
  const { typing, object, root, isJson } = position
  const { around, entry } = typing.spot
  const schema = schemaAt(root, object.path.slice(0, -1))
  const isFlow = around?.flow === true
  const form = { isJson, isFlow }
  if (object.path.length === 1) return rootItems(position, form)
  if (schema === undefined) return []
  const others = around?.is === 'map' ? around.entries.filter((one) => one !== entry) : []
  const taken = new Set(others.map(({ key }) => key))
  const hasColon = entry?.colon !== undefined
  const own = schema.fields
    .filter(({ name }) => !taken.has(name))
    .map((field) => fieldItem(field, hasColon ? keyOnly(field, form) : fieldSnippet(field, form)))
  return [...byNeed(own), ...mapKeys(position, object.path.slice(0, -1), taken, context)]
}

/** The fields of an object that has none yet, or the next item of a list. Lines below the first are as deep as editors make them. */
export function fieldItems(position: Position, context: EditorContext): readonly Item[] {
  const { typing, object, root, isJson } = position
  const { spot, isFirst, column, indent, needsSpace } = typing
  const form = { isJson, isFlow: false }
  if (object.path.length === 0) return rootItems({ object, root }, form)
  const schema = schemaAt(root, object.path)
  const isText = spot.scalar?.style === 'quoted' || spot.around?.flow === true
  if (schema === undefined || isText || needsSpace) return []
  const start = isFirst ? column : (spot.entry?.column ?? indent) + 2
  const below = ' '.repeat(Math.max(0, start - indent))
  const lead = isFirst ? '' : `\n${below}`
  if (schema.shape === 'list') {
    const snippet = `${lead}${valueSnippet(schema, form, below)}`
    return [
      { label: `- ${schema.part?.type ?? ''}`.trim(), is: 'field', snippet, detail: schema.type },
    ]
  }
  const keys = isFirst ? mapKeys(position, object.path, new Set(), context) : []
  const dash = spot.item?.isLoose ? '- ' : ''
  const deeper = `\n${below}${dash && '  '}`
  const items = schema.fields.map((field) => {
    const snippet = fieldSnippet(field, form).replaceAll('\n', deeper)
    return fieldItem(field, `${lead}${dash}${snippet}`)
  })
  return [...byNeed(items), ...keys]
}

/** The words that every object has. */
function rootItems(
  { object, root }: Pick<Position, 'object' | 'root'>,
  form: Form,
): readonly Item[] {
  const place = form.isJson ? '"$1"' : '$1'
  const key = (name: string) => (form.isJson ? JSON.stringify(name) : name)
  const words = ['apiVersion', 'kind']
    .filter((name) => entryOf(object.node, name)?.colon === undefined)
    .map((name): Item => ({ label: name, is: 'field', snippet: `${key(name)}: ${place}` }))
  const fields = (root?.fields ?? [])
    .filter(({ name }) => entryOf(object.node, name)?.colon === undefined)
    .map((field) => fieldItem(field, fieldSnippet(field, form)))
  return [...words, ...fields]
}

function fieldItem(field: FieldSchema, snippet: string): Item {
  const { name, isRequired, schema } = field
  return {
    label: name,
    is: 'field',
    snippet,
    detail: `${schema.type}${isRequired ? ', required' : ''}`,
    documentation: fieldText(schema),
    isDeprecated: schema.isDeprecated,
  }
}

/** The key alone, where a colon and a value are there already. */
function keyOnly({ name }: FieldSchema, { isJson }: Form): string {
  return isJson ? JSON.stringify(name) : name
}

/** Those that must be there first. */
function byNeed(items: readonly Item[]): readonly Item[] {
  const isNeeded = ({ detail = '' }: Item) => detail.endsWith(', required')
  return [...items.filter(isNeeded), ...items.filter((one) => !isNeeded(one))]
}

/** Keys that are no fields: feature gates, and labels that pods have. */
function mapKeys(
  position: Position,
  path: readonly Step[],
  taken: ReadonlySet<string>,
  context: EditorContext,
): readonly Item[] {
  if (schemaAt(position.root, path)?.shape !== 'map') return []
  if (path.at(-1) !== 'featureGates') return labelKeys(position, path, taken, context)
  return context.catalogue
    .gates()
    .filter(({ gate }) => !taken.has(gate))
    .map(({ gate, description, stage, isOn }) => ({
      label: gate,
      is: 'gate',
      snippet: `${scalarText(gate, position)}: \${1|${isOn ? 'false,true' : 'true,false'}|}`,
      detail: stage,
      documentation: description,
    }))
}
