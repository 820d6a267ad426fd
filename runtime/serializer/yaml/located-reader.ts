import {
  type Alias,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
} from 'yaml'
import { DecodeError } from '../format/decoded.ts'
import { jsonPieces } from './json-stream.ts'
import type {
  LocatedDocument,
  LocatedEntry,
  LocatedText,
  LocatedValue,
  TextRange,
} from './located.ts'
import { contentsIn, documentsIn, isMergeKey, maxAliased, type TextSpan } from './yaml-reader.ts'
import { binaryTag, binaryText, plainScalar } from './yaml-scalar.ts'

/** Reads the only document of a YAML text with its positions. Empty documents before and after it are skipped. */
export function readLocated(text: string): LocatedText {
  const lines = new LineCounter()
  try {
    return new LocatedReader(lines).read(contentsIn(text, lines))
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('YAML', 'nested too deeply')
    throw error
  }
}

/**
 * Reads every document of a YAML text. One that cannot be read has the reason in its place, and those behind it are read; only a text
 * that is nested too deeply ends there.
 */
export function* readLocatedDocuments(text: string): Generator<LocatedDocument, undefined> {
  const lines = new LineCounter()
  try {
    for (const { error, contents, unread: spans } of documentsIn(text, lines, jsonPieces(text))) {
      const unportable = spans.map((one) => ({ why: notRead[one.is], at: placeOf(one, lines) }))
      if (error !== undefined) yield { ...unread(error), unportable }
      else if (!isEmpty(contents)) yield readDocument(contents as Node, lines, unportable)
      else if (unportable.length > 0) yield { duplicates: [], problems: [], unportable }
    }
  } catch (error) {
    yield unread(asDecodeError(error))
  }
}

const notRead = {
  directive: 'kubectl reads no directives, which begin with %: remove it, the text means the same',
  end: 'kubectl passes over what stands behind ... up to the next ---: write --- in its place',
} as const

const questionRefused = 'kubectl ends a text in brackets at a question mark: write it in quotes'

/** A document that cannot be read. */
function unread(error: DecodeError): LocatedDocument {
  return { error, duplicates: [], problems: [], unportable: [] }
}

function placeOf({ start, length }: TextSpan, lines: LineCounter): TextRange {
  const { line, col } = lines.linePos(start)
  return { line, column: col, offset: start, end: start + length }
}

function readDocument(
  contents: Node,
  lines: LineCounter,
  unportable: LocatedDocument['unportable'],
): LocatedDocument {
  const reader = new LocatedReader(lines)
  try {
    const document = reader.document(contents)
    return { ...document, unportable: [...unportable, ...document.unportable] }
  } catch (error) {
    return unread(asDecodeError(error))
  }
}

/** Anything but a text that cannot be read is a bug, and thrown again. */
function asDecodeError(error: unknown): DecodeError {
  if (error instanceof DecodeError) return error
  if (error instanceof RangeError) return new DecodeError('YAML', 'nested too deeply')
  throw error
}

/** Resolves parsed nodes by the same rules as `YamlReader`, and keeps where they stand. */
class LocatedReader {
  readonly #lines: LineCounter
  readonly #anchors = new Map<string, Node>()
  /** Targets of the aliases that are being expanded, so that one which contains itself is found. */
  readonly #open = new Set<Node>()
  readonly #duplicates: {
    readonly key: string
    readonly at: TextRange
    readonly first: TextRange
  }[] = []
  readonly #problems: { readonly why: string; readonly at: TextRange }[] = []
  readonly #unportable: { readonly why: string; readonly at: TextRange }[] = []
  #aliased = 0
  /** How many brackets are open. */
  #brackets = 0

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  /** Empty documents may stand before and after the only one, as in files that end with a separator. */
  read(documents: Iterable<unknown>): LocatedText {
    const start = { line: 1, column: 1, offset: 0, end: 0 }
    let root: LocatedValue<TextRange> | undefined
    for (const contents of documents) {
      if (isEmpty(contents)) continue
      if (root !== undefined) {
        this.#fail(
          this.#place(contents as Node),
          'a second document begins here, after the only one',
        )
      }
      root = this.#node(contents, start)
    }
    const nothing: LocatedValue<TextRange> = { is: 'scalar', value: null, at: start }
    return { root: root ?? nothing, duplicates: this.#duplicates, problems: this.#problems }
  }

  /** One document of several. */
  document(contents: Node): LocatedDocument {
    const root = this.#node(contents, this.#place(contents))
    const unportable = this.#unportable
    return { root, duplicates: this.#duplicates, problems: this.#problems, unportable }
  }

  /** The value of a node. A value that is left out, as in `key:`, has the position of what holds it. */
  #node(node: unknown, around: TextRange): LocatedValue<TextRange> {
    if (!isNode(node)) return { is: 'scalar', value: null, at: around }
    const at = this.#place(node)
    if (this.#open.size > 0 && ++this.#aliased > maxAliased) {
      this.#fail(at, 'aliases stand for too many values')
    }
    if (isAlias(node)) return this.#alias(node, at)
    if (this.#open.size === 0 && node.anchor) this.#anchors.set(node.anchor, node)
    if (!isCollection(node)) return this.#scalar(node, at)
    if (node.flow) this.#brackets++
    const value = this.#collection(node, at)
    if (node.flow) this.#brackets--
    return value
  }

  #collection(node: Node, at: TextRange): LocatedValue<TextRange> {
    if (isSeq(node)) {
      return { is: 'list', items: node.items.map((item) => this.#node(item, at)), at }
    }
    return { is: 'map', entries: this.#entries(node, at), at }
  }

  /** Own entries count before those of merge keys (`<<`); a key that stands twice is reported and the last value counts. */
  #entries(map: Node, at: TextRange): readonly LocatedEntry<TextRange>[] {
    if (!isMap(map)) return []
    const own = new Map<string, LocatedEntry<TextRange>>()
    const merged: LocatedEntry<TextRange>[] = []
    for (const pair of map.items) {
      if (isMergeKey(pair.key)) {
        merged.push(...this.#merged(this.#node(pair.value, at)))
        continue
      }
      const keyAt = isNode(pair.key) ? this.#place(pair.key) : at
      const key = this.#key(pair.key, keyAt)
      if (key === undefined) continue
      const first = own.get(key)
      if (first !== undefined) this.#duplicates.push({ key, at: keyAt, first: first.keyAt })
      own.set(key, { key, keyAt, value: this.#node(pair.value, keyAt) })
    }
    for (const each of merged) if (!own.has(each.key)) own.set(each.key, each)
    return [...own.values()]
  }

  /** The entries that a merge key adds: those of a map, or of each map of a list. */
  #merged(value: LocatedValue<TextRange>): readonly LocatedEntry<TextRange>[] {
    if (value.is === 'list') return value.items.flatMap((item) => this.#merged(item))
    if (value.is === 'map') return value.entries
    return this.#fail(value.at, 'a merge key needs a map or a list of maps')
  }

  /** The text of a key. A key that is a map or a list has no form in JSON: it is reported and left out. */
  #key(node: unknown, at: TextRange): string | undefined {
    const key = this.#node(node, at)
    if (key.is === 'scalar') return String(key.value)
    this.#problems.push({ why: 'a key must be a scalar', at })
    return undefined
  }

  /** Quoted scalars are strings. A plain one, or one with a tag of YAML 1.1, is what its text means. */
  #scalar(node: Node, at: TextRange): LocatedValue<TextRange> {
    if (!isScalar(node)) return { is: 'scalar', value: null, at }
    const text = String(node.value ?? '')
    if (this.#brackets > 0 && node.type === 'PLAIN' && text.includes('?')) {
      this.#unportable.push({ why: questionRefused, at })
    }
    if (node.tag === binaryTag) return { is: 'scalar', value: binaryText(text), at }
    const known = /^tag:yaml\.org,2002:(int|float|bool|null)$/.test(node.tag ?? '')
    const plain = node.tag === undefined ? node.type === 'PLAIN' : known
    const value = plain ? plainScalar(text) : text
    if (value === undefined) this.#problems.push({ why: `${text} has no JSON form`, at })
    return { is: 'scalar', value: value ?? null, at }
  }

  /** The value of the anchor, at the position of the alias: messages are about where the value is used. */
  #alias(alias: Alias, at: TextRange): LocatedValue<TextRange> {
    const target = this.#anchors.get(alias.source)
    if (target === undefined) return this.#fail(at, `unknown anchor ${alias.source}`)
    if (this.#open.has(target)) return this.#fail(at, `anchor ${alias.source} contains itself`)
    this.#open.add(target)
    const value = this.#node(target, at)
    this.#open.delete(target)
    return value
  }

  /** Line and column of a node, from 1, and where it begins and ends. */
  #place(node: Node): TextRange {
    const [offset, end] = node.range ?? [0, 0]
    const { line, col } = this.#lines.linePos(offset)
    return { line, column: col, offset, end }
  }

  #fail(at: TextRange, why: string): never {
    throw new DecodeError('YAML', why, at)
  }
}

/** True for an empty document, such as the one behind a separator at the end of a file. */
function isEmpty(contents: unknown): boolean {
  return !isNode(contents) || (isScalar(contents) && contents.source === '')
}
