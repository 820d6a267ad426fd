/** Parses YAML into nodes with positions. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Scalar } from 'yaml'
import type { Report } from '../finding.ts'
import type { Position } from '../position.ts'
import type { Entry, ScalarNode, YamlNode } from './node.ts'
import { beforeSubstitution, offsetInSource } from './scalar-positions.ts'

/** Replaces the names of the platform (`${brand}`) in a string or a key; unknown names are reported at `at`. */
export type Substitute = (text: string, at: Position, report: Report) => string

/** How a document is read: by `parse`, or by a cache of what it gave. */
export type Parse = (
  file: string,
  source: string,
  substitute: Substitute,
  report: Report,
) => YamlNode | undefined

/**
 * Parses one YAML document, which must be a mapping. Duplicate keys, aliases and keys that are no strings are findings;
 * of syntax errors only the first, since the others follow from it, and then the result is undefined.
 */
export function parse(
  file: string,
  source: string,
  substitute: Substitute,
  report: Report,
): YamlNode | undefined {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  const broken = document.errors.find((error) => error.code !== 'DUPLICATE_KEY')
  if (broken !== undefined) {
    report(position(broken.pos[0]), 'yaml-syntax', firstLower(broken.message))
    return undefined
  }
  for (const { pos } of document.errors) {
    report(position(pos[0]), 'duplicate-key', 'this key stands twice in its mapping')
  }

  const convert = (value: unknown, parent: Position): YamlNode => {
    const at = offsetOf(value) === undefined ? parent : position(offsetOf(value)!)
    if (isMap(value)) {
      return { is: 'map', at, entries: value.items.map((pair) => pairOf(pair.key, pair.value, at)) }
    }
    if (isSeq(value)) return { is: 'list', at, items: value.items.map((item) => convert(item, at)) }
    if (isAlias(value)) report(at, 'yaml-alias', 'anchors and aliases are not used in schema files')
    if (isScalar(value) && typeof value.value === 'string') return textAt(value, value.value, at)
    return scalar(isScalar(value) ? value.value : null, at)
  }
  const pairOf = (key: unknown, value: unknown, parent: Position): Entry => {
    const node = convert(key, parent)
    if (node.is !== 'scalar' || typeof node.value !== 'string') {
      report(node.at, 'yaml-key', 'a key must be a string')
    }
    const name = node.is === 'scalar' ? `${node.value}` : ''
    return { key: name, keyAt: node.at, value: convert(value, node.at) }
  }
  const textAt = ({ range }: Scalar, written: string, at: Position): ScalarNode => {
    const [from = 0, to = from] = range ?? []
    const placeOf = (offset: number): Position => {
      const given = beforeSubstitution(written, offset, (part) => substitute(part, at, () => {}))
      return position(from + offsetInSource(source.slice(from, to), written, given))
    }
    return { is: 'scalar', at, value: substitute(written, at, report), positionOf: placeOf }
  }
  const scalar = (value: unknown, at: Position): ScalarNode => {
    const simple = typeof value === 'number' || typeof value === 'boolean' ? value : null
    return { is: 'scalar', at, value: simple }
  }
  if (!isMap(document.contents)) {
    report(position(0), 'wrong-value', 'a schema file must hold a mapping')
    return undefined
  }
  return convert(document.contents, position(0))
}

function offsetOf(value: unknown): number | undefined {
  return (value as { range?: readonly number[] } | null)?.range?.[0]
}

function firstLower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
