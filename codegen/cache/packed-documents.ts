/** Parsed documents as compact JSON: reading it back is much faster than parsing YAML again. */

import { once } from '../schema/once.ts'
import type { Position } from '../schema/position.ts'
import type { Entry, MapNode, ScalarNode, YamlNode } from '../schema/yaml/node.ts'

/** A node with its line and column first; a mapping is its keys, each with its line, column and value, in one list. */
type Packed =
  | readonly [line: number, column: number, sort: 0, value: string | number | boolean | null]
  | readonly [line: number, column: number, sort: 1, items: readonly Packed[]]
  | readonly [line: number, column: number, sort: 2, entries: readonly (string | number | Packed)[]]

/** The packed form of a document. Offsets inside texts are left out: `unpackText` parses again for them. */
export function pack(node: YamlNode): Packed {
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
 * The node that was packed, each part of it made on first access; `file` is what its positions name. `whole` parses the
 * document again and is called only for the position of a character inside a text, that is for findings.
 */
function unpack(packed: Packed, file: string, whole: () => YamlNode | undefined): YamlNode {
  const [line, column, sort, content] = packed
  const at = { file, line, column }
  if (sort === 0) {
    if (typeof content !== 'string') return { is: 'scalar', at, value: content }
    const placeOf = (offset: number): Position => textAt(whole(), at)?.positionOf?.(offset) ?? at
    return { is: 'scalar', at, value: content, positionOf: placeOf }
  }
  if (sort === 1) {
    const items = once(() => content.map((item) => unpack(item, file, whole)))
    return {
      is: 'list',
      at,
      get items() {
        return items()
      },
    }
  }
  const entries = once(() => entriesOf(content, file, whole))
  return {
    is: 'map',
    at,
    get entries() {
      return entries()
    },
  }
}

function entriesOf(
  content: readonly (string | number | Packed)[],
  file: string,
  whole: () => YamlNode | undefined,
): readonly Entry[] {
  const entries: Entry[] = []
  for (let i = 0; i < content.length; i += 4) {
    const keyAt = { file, line: content[i + 1] as number, column: content[i + 2] as number }
    entries.push({
      key: content[i] as string,
      keyAt,
      value: unpack(content[i + 3] as Packed, file, whole),
    })
  }
  return entries
}

/** A document, which is a mapping, from its packed JSON: parsed on first access. */
export function unpackText(text: string, file: string, whole: () => YamlNode | undefined): MapNode {
  const wholeOnce = once(whole)
  const node = once(() => unpack(JSON.parse(text) as Packed, file, wholeOnce) as MapNode)
  return {
    is: 'map',
    get at() {
      return node().at
    },
    get entries() {
      return node().entries
    },
  }
}

/** The text node at a position of a document. */
function textAt(node: YamlNode | undefined, at: Position): ScalarNode | undefined {
  if (node === undefined) return undefined
  if (node.is === 'scalar') {
    const here = node.at.line === at.line && node.at.column === at.column
    return here && node.positionOf !== undefined ? node : undefined
  }
  const inside = node.is === 'list' ? node.items : node.entries.map(({ value }) => value)
  for (const each of inside) {
    const found = textAt(each, at)
    if (found !== undefined) return found
  }
  return undefined
}
