/** Outlines as values with places, for what looks at documents that are whole. */
import type { LocatedEntry, LocatedValue, TextRange } from '../../serializer/serializer.ts'
import type { Lines } from './lines.ts'
import type { OutlineNode, OutlineScalar } from './outline-nodes.ts'

/** The value, as far as the outline has it: anchors and aliases are texts. */
export function locatedOf(node: OutlineNode, lines: Lines): LocatedValue<TextRange> {
  const at = lines.range(node.start, node.end)
  if (node.is === 'scalar') return { is: 'scalar', value: scalarValue(node), at }
  if (node.is === 'list') {
    const items = node.items.map(({ start, value }) => partOf(value, start, lines))
    return { is: 'list', items, at }
  }
  const entries = new Map<string, LocatedEntry<TextRange>>()
  for (const { key, start, keyEnd, value } of node.entries) {
    const keyAt = lines.range(start, keyEnd)
    entries.set(key, { key, keyAt, value: partOf(value, start, lines) })
  }
  return { is: 'map', entries: [...entries.values()], at }
}

function partOf(
  value: OutlineNode | undefined,
  start: number,
  lines: Lines,
): LocatedValue<TextRange> {
  if (value !== undefined) return locatedOf(value, lines)
  return { is: 'scalar', value: null, at: lines.range(start, start) }
}

function scalarValue({ text, style }: OutlineScalar): string | number | boolean | null {
  if (style !== 'plain') return text
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === '' || text === 'null' || text === '~') return null
  return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
}
