/** Fields of a map that become parts of a deeper one, by changes at their keys. */
import type { LocatedEntry, LocatedValue, TextRange } from '../../serializer/serializer.ts'
import type { TextEdit } from '../rules/finding.ts'

type Node = LocatedValue<TextRange>

/** An entry that goes deeper: `service`, `port`, `number` in place of its key. */
export interface Moved {
  readonly entry: LocatedEntry<TextRange>
  readonly path: string
  readonly keys: readonly string[]
}

/** Another key in the place of an entry's. */
export function keyEdit({ keyAt }: LocatedEntry<TextRange>, key: string): TextEdit {
  return { start: keyAt.offset, end: keyAt.end, text: key }
}

/** True for a map in braces. */
export function isFlow(text: string, node: Node): boolean {
  return text[node.at.offset] === '{'
}

/**
 * `serviceName: web` and `servicePort: 80` become `service:` with `name: web` and `port:` with `number: 80`, each in its own line and with
 * what stands behind it. Undefined if other entries stand between them.
 */
export function nestingEdits(
  text: string,
  node: Node,
  moved: readonly Moved[],
): readonly TextEdit[] | undefined {
  if (node.is !== 'map') return undefined
  const places = moved.map(({ entry }) => node.entries.indexOf(entry))
  const sorted = [...moved].sort((a, b) => a.entry.keyAt.offset - b.entry.keyAt.offset)
  if (Math.max(...places) - Math.min(...places) !== moved.length - 1) return undefined
  const [first] = sorted
  if (first === undefined || sorted.some(({ keys }) => keys[0] !== first.keys[0])) return undefined
  return isFlow(text, node) ? inBraces(sorted) : inLines(sorted)
}

function inBraces(moved: readonly Moved[]): readonly TextEdit[] {
  return moved.flatMap(({ entry, keys }, index) => {
    const [outer = '', ...inner] = keys
    const opened = index === 0 ? `${outer}: {` : ''
    const closed = '}'.repeat(inner.length - 1 + (index === moved.length - 1 ? 1 : 0))
    const { end } = entry.value.at
    return [
      keyEdit(entry, opened + inner.join(': {')),
      ...(closed === '' ? [] : [{ start: end, end, text: closed }]),
    ]
  })
}

/** A value of several lines would need every line further in: those are texts and numbers here. */
function inLines(moved: readonly Moved[]): readonly TextEdit[] | undefined {
  if (moved.some(({ entry }) => entry.value.is !== 'scalar')) return undefined
  return moved.map(({ entry, keys }, index) => {
    const margin = ' '.repeat(entry.keyAt.column - 1)
    const lines = (index === 0 ? keys : keys.slice(1)).map(
      (key, depth) => `${'  '.repeat(depth + (index === 0 ? 0 : 1))}${key}`,
    )
    return keyEdit(entry, lines.join(`:\n${margin}`))
  })
}
