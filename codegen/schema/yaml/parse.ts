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
  const converter = new Converter(file, source, lines, substitute, report)
  const broken = document.errors.find((error) => error.code !== 'DUPLICATE_KEY')
  if (broken !== undefined) {
    report(converter.position(broken.pos[0]), 'yaml-syntax', firstLower(broken.message))
    return undefined
  }
  for (const { pos } of document.errors) {
    const message = 'this key stands twice in its mapping'
    report(converter.position(pos[0]), 'duplicate-key', message)
  }
  if (!isMap(document.contents)) {
    report(converter.position(0), 'wrong-value', 'a schema file must hold a mapping')
    return undefined
  }
  return converter.node(document.contents, converter.position(0))
}

/** Turns the nodes of the YAML library into nodes with positions. */
class Converter {
  readonly #file: string
  readonly #source: string
  readonly #lines: LineCounter
  readonly #substitute: Substitute
  readonly #report: Report

  constructor(
    file: string,
    source: string,
    lines: LineCounter,
    substitute: Substitute,
    report: Report,
  ) {
    this.#file = file
    this.#source = source
    this.#lines = lines
    this.#substitute = substitute
    this.#report = report
  }

  position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.#file, line, column: col }
  }

  /** An empty value has no position of its own: it has its parent's. */
  node(value: unknown, parent: Position): YamlNode {
    const offset = offsetOf(value)
    const at = offset === undefined ? parent : this.position(offset)
    if (isMap(value)) {
      const entries = value.items.map((pair) => this.#entry(pair.key, pair.value, at))
      return { is: 'map', at, entries }
    }
    if (isSeq(value)) {
      return { is: 'list', at, items: value.items.map((item) => this.node(item, at)) }
    }
    if (isAlias(value)) {
      this.#report(at, 'yaml-alias', 'anchors and aliases are not used in schema files')
    }
    if (isScalar(value) && typeof value.value === 'string') {
      return this.#text(value, value.value, at)
    }
    return scalar(isScalar(value) ? value.value : null, at)
  }

  #entry(key: unknown, value: unknown, parent: Position): Entry {
    const node = this.node(key, parent)
    if (node.is !== 'scalar' || typeof node.value !== 'string') {
      this.#report(node.at, 'yaml-key', 'a key must be a string')
    }
    const name = node.is === 'scalar' ? `${node.value}` : ''
    return { key: name, keyAt: node.at, value: this.node(value, node.at) }
  }

  /** A string with its names substituted. `positionOf` finds a character of the result in the source. */
  #text({ range }: Scalar, written: string, at: Position): ScalarNode {
    const [from = 0, to = from] = range ?? []
    const positionOf = (offset: number): Position => {
      const quiet = (part: string) => this.#substitute(part, at, () => {})
      const original = beforeSubstitution(written, offset, quiet)
      const raw = this.#source.slice(from, to)
      return this.position(from + offsetInSource(raw, written, original))
    }
    return { is: 'scalar', at, value: this.#substitute(written, at, this.#report), positionOf }
  }
}

function scalar(value: unknown, at: Position): ScalarNode {
  const simple = typeof value === 'number' || typeof value === 'boolean' ? value : null
  return { is: 'scalar', at, value: simple }
}

function offsetOf(value: unknown): number | undefined {
  return (value as { range?: readonly number[] } | null)?.range?.[0]
}

function firstLower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
