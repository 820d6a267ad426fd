/** What stands at a place: the field, its type, and what the schema says of it. */
import { fieldOf, schemaAt, type ValueSchema } from '../schema/value-schema.ts'
import { spotAt } from '../text/cursor.ts'
import { objectAt } from '../text/object-at.ts'
import type { OutlineDocument } from '../text/outline-nodes.ts'
import type { EditorContext } from '../workspace/names.ts'
import { code, escapeMarkdown, fieldText } from './field-text.ts'

/** A text in Markdown about the part between two offsets. */
export interface Hover {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** What is told of the key or value at the offset. */
export function hoverAt(
  documents: readonly OutlineDocument[],
  offset: number,
  { catalogue }: Pick<EditorContext, 'catalogue'>,
): Hover | undefined {
  const spot = spotAt(documents, offset)
  if (spot === undefined) return undefined
  const { apiVersion = '', kind = '', path } = objectAt(spot.document, spot.path)
  const root = catalogue.root(apiVersion, kind)
  const { start, end } = spot
  const told = (text: string) => ({ text, start, end })
  const [first] = path
  if (path.length === 1 && (first === 'apiVersion' || first === 'kind')) {
    const text = kindText(apiVersion, kind, root, catalogue)
    return text === undefined ? undefined : told(text)
  }
  const gate =
    path.at(-2) === 'featureGates' && catalogue.gates().find((one) => one.gate === path.at(-1))
  if (gate)
    return told(`**${gate.gate}** ${code(gate.stage)}\n\n${escapeMarkdown(gate.description)}`)
  const schema = schemaAt(root, path)
  if (schema === undefined) return undefined
  const name = path.findLast((step) => typeof step === 'string')
  const parent = schemaAt(root, path.slice(0, -1))
  const last = path.at(-1)
  const field = parent && typeof last === 'string' ? fieldOf(parent, last) : undefined
  const required = field?.isRequired === true ? ', required' : ''
  const gated = catalogue.gates().find((one) => one.gate === schema.gate)
  return told(
    [
      `**${escapeMarkdown(String(name ?? kind))}** ${code(schema.type)}${required}`,
      fieldText(schema),
      ...(gated === undefined ? [] : [`${code(gated.gate)}: ${gated.stage}`]),
    ].join('\n\n'),
  )
}

function kindText(
  apiVersion: string,
  kind: string,
  root: ValueSchema | undefined,
  catalogue: EditorContext['catalogue'],
): string | undefined {
  const known = catalogue.kind(apiVersion, kind)
  if (known === undefined) return undefined
  const since = root?.since === undefined ? catalogue.since(apiVersion) : undefined
  const where = known.isConfiguration
    ? 'configuration file'
    : known.isNamespaced
      ? 'in a namespace'
      : 'of the whole cluster'
  return [
    `**${escapeMarkdown(kind)}** ${code(apiVersion)}, ${where}`,
    ...(known.state.is === 'served' ? [] : [escapeMarkdown(known.state.message)]),
    ...(since === undefined ? [] : [`${code(apiVersion)} is there since ${since}`]),
    ...(root === undefined ? [] : [fieldText(root)]),
  ].join('\n\n')
}
