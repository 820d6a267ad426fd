/** A YAML document as a tree of values with positions: no other file outside `yaml/` knows the parser's own nodes. */
import type { Position } from '../position.ts'

/** A mapping, a list or a scalar; discriminated by `is`. */
export type YamlNode = MapNode | ListNode | ScalarNode

/** A mapping, its entries in the order of the document. */
export interface MapNode {
  readonly is: 'map'
  readonly entries: readonly Entry[]
  readonly at: Position
}

/** A list. */
export interface ListNode {
  readonly is: 'list'
  readonly items: readonly YamlNode[]
  readonly at: Position
}

/** A text, a number, a boolean or null. */
export interface ScalarNode {
  readonly is: 'scalar'
  readonly value: string | number | boolean | null
  readonly at: Position
  /** The position of a character of a text, by its offset in `value`; absent for what is no text. */
  readonly positionOf?: (offset: number) => Position
}

/** One key of a mapping with its value; `keyAt` is the position of the key. */
export interface Entry {
  readonly key: string
  readonly keyAt: Position
  readonly value: YamlNode
}

/** The value under `key`, if `node` is a mapping that has it. */
export function get(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return entry(node, key)?.value
}

/** The entry under `key`, if `node` is a mapping that has it. */
export function entry(node: YamlNode | undefined, key: string): Entry | undefined {
  return node?.is === 'map' ? node.entries.find((each) => each.key === key) : undefined
}

/** The entries of a mapping; none for anything else. */
export function entries(node: YamlNode | undefined): readonly Entry[] {
  return node?.is === 'map' ? node.entries : []
}

/** The items of a list; none for anything else. */
export function items(node: YamlNode | undefined): readonly YamlNode[] {
  return node?.is === 'list' ? node.items : []
}

/** The text of a string scalar. */
export function text(node: YamlNode | undefined): string | undefined {
  return node?.is === 'scalar' && typeof node.value === 'string' ? node.value : undefined
}

/** The texts of a list of strings; items of other types are left out. */
export function texts(node: YamlNode | undefined): readonly string[] {
  return items(node).flatMap((item) => text(item) ?? [])
}

/** The node as a plain JSON value, its keys in the document's order. */
export function plain(node: YamlNode): unknown {
  switch (node.is) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(plain)
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]))
  }
}

/** The type of the node as messages state it: `a mapping`, `a number`. */
export function typeName(node: YamlNode): string {
  if (node.is !== 'scalar') return node.is === 'map' ? 'a mapping' : 'a list'
  if (node.value === null) return 'null'
  return typeof node.value === 'number' ? 'a number' : `a ${typeof node.value}`
}
