/** The values that a schema names, and flags of daemons on command lines. */
import { fieldText } from '../hover/field-text.ts'
import { schemaAt } from '../schema/value-schema.ts'
import { nodeAt } from '../text/cursor.ts'
import type { OutlineNode } from '../text/outline-nodes.ts'
import type { EditorContext } from '../workspace/names.ts'
import { escaped, type Item, type Position } from './item.ts'

/** Values of enumerations, booleans and the default, which comes first. */
export function valueItems(position: Position, context: EditorContext): readonly Item[] {
  const { object, root, isJson } = position
  const flags = flagItems(position, context)
  if (flags.length > 0) return flags
  const schema = schemaAt(root, object.path)
  if (schema === undefined) return []
  const isBoolean = schema.shape === 'boolean'
  const named = isBoolean ? ['true', 'false'] : schema.values
  const initial = schema.default
  const isPlain = initial !== undefined && typeof initial !== 'object'
  const labels = isPlain ? [String(initial), ...named] : named
  const documentation = fieldText(schema)
  return [...new Set(labels)].map((label) => ({
    label,
    is: 'value',
    documentation,
    ...(schema.shape !== 'string' && { snippet: escaped(label) }),
    ...(isPlain && String(initial) === label && { detail: 'default' }),
    ...(isJson && schema.shape === 'any' && { snippet: JSON.stringify(label) }),
  }))
}

/** Flags of a daemon in the command of a container that runs it. */
function flagItems(position: Position, { catalogue }: EditorContext): readonly Item[] {
  const { typing, object } = position
  const field = object.path.at(-2)
  if (!typing.word.startsWith('-') || (field !== 'command' && field !== 'args')) return []
  const container = nodeAt(typing.spot.document, [...object.base, ...object.path.slice(0, -2)])
  const flags = wordsOf(container)
    .map((word) => catalogue.flags(word.slice(word.lastIndexOf('/') + 1).replace(/[:@].*$/, '')))
    .find((found) => found !== undefined)
  return (flags ?? []).map(({ flag, type, description, values, isDeprecated, ...more }) => ({
    label: `--${flag}`,
    is: 'flag',
    snippet: `--${flag}${type === 'bool' ? '' : `=\${1${more.default ? `:${escaped(more.default)}` : ''}}`}`,
    detail: values.length > 0 ? `${type}: ${values.join(', ')}` : type,
    documentation: description,
    isDeprecated,
  }))
}

/** The words of a container that may name its program. */
function wordsOf(container: OutlineNode | undefined): readonly string[] {
  if (container?.is !== 'map') return []
  return container.entries.flatMap(({ key, value }) => {
    if (key === 'image' && value?.is === 'scalar') return [value.text]
    if (key !== 'command' || value?.is !== 'list') return []
    return value.items.flatMap((item) => (item.value?.is === 'scalar' ? [item.value.text] : []))
  })
}
