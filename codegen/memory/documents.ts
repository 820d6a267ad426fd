/** Parsed documents as text: what reading YAML gave, much faster to read back. */
import type { Position } from '../schema/ir.ts'
import type { Entry, Node, ScalarNode } from '../schema/node.ts'

/** A node without the words that its place says: a mapping as key, key's line and column, value, and so on. */
type Packed =
  | readonly [line: number, column: number, sort: 0, value: string | number | boolean | null]
  | readonly [line: number, column: number, sort: 1, items: readonly Packed[]]
  | readonly [line: number, column: number, sort: 2, entries: readonly (string | number | Packed)[]]

export function pack(node: Node): Packed {
  const { line, column } = node.at
  switch (node.is) {
    case 'scalar':
      return [line, column, 0, node.value]
    case 'list':
      return [line, column, 1, node.items.map(pack)]
    case 'map': {
      const entries = node.entries.flatMap(({ key, keyAt, value }) => [
        key,
        keyAt.line,
        keyAt.column,
        pack(value),
      ])
      return [line, column, 2, entries]
    }
  }
}

/**
 * The node that was packed; `file` is what its positions name. Where a character inside a text stands is known only to the
 * document as it was parsed: `whole` gives it, and is asked for findings only.
 */
export function unpack(packed: Packed, file: string, whole: () => Node | undefined): Node {
  const [line, column, sort, content] = packed
  const at = { file, line, column }
  if (sort === 0) {
    if (typeof content !== 'string') return { is: 'scalar', at, value: content }
    const placeOf = (offset: number): Position => textAt(whole(), at)?.placeOf?.(offset) ?? at
    return { is: 'scalar', at, value: content, placeOf }
  }
  if (sort === 1) {
    return { is: 'list', at, items: content.map((item) => unpack(item, file, whole)) }
  }
  const entries: Entry[] = []
  for (let i = 0; i < content.length; i += 4) {
    const keyAt = { file, line: content[i + 1] as number, column: content[i + 2] as number }
    entries.push({
      key: content[i] as string,
      keyAt,
      value: unpack(content[i + 3] as Packed, file, whole),
    })
  }
  return { is: 'map', at, entries }
}

/** The text at a position of a document. */
function textAt(node: Node | undefined, at: Position): ScalarNode | undefined {
  if (node === undefined) return undefined
  if (node.is === 'scalar') {
    const here = node.at.line === at.line && node.at.column === at.column
    return here && node.placeOf !== undefined ? node : undefined
  }
  const inside = node.is === 'list' ? node.items : node.entries.map(({ value }) => value)
  for (const each of inside) {
    const found = textAt(each, at)
    if (found !== undefined) return found
  }
  return undefined
}
