/** Parsed documents as text: what reading YAML gave, much faster to read back. */
import type { Entry, Node } from '../schema/node.ts'

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

/** The node that was packed; `file` is what its positions name. */
export function unpack(packed: Packed, file: string): Node {
  const [line, column, sort, content] = packed
  const at = { file, line, column }
  if (sort === 0) return { is: 'scalar', at, value: content }
  if (sort === 1) return { is: 'list', at, items: content.map((item) => unpack(item, file)) }
  const entries: Entry[] = []
  for (let i = 0; i < content.length; i += 4) {
    const keyAt = { file, line: content[i + 1] as number, column: content[i + 2] as number }
    entries.push({
      key: content[i] as string,
      keyAt,
      value: unpack(content[i + 3] as Packed, file),
    })
  }
  return { is: 'map', at, entries }
}
