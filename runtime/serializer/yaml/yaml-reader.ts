import {
  type Alias,
  Composer,
  type CST,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
} from 'yaml'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { type Decoded, DecodeError, maxDepth, maxDuplicates } from '../format/decoded.ts'
import { binaryTag, binaryText, plainScalar } from './yaml-scalar.ts'

/** How many syntax nodes may be open at once, well below the depth at which the composer's recursion overflows the stack. */
const maxStack = 300

/** How many nodes all aliases of a document may expand to: a defence against the billion laughs attack. */
export const maxAliased = 100_000

/**
 * The first document of a YAML text as a value; null if there is none.
 *
 * @throws DecodeError for a text that is not YAML, or that JSON has no form for
 */
export function readYaml(text: string): Decoded {
  const lines = new LineCounter()
  return new YamlReader(lines).read(contentsOf(text, lines))
}

/** The first document of a YAML text as nodes of the parser, their scalars unresolved. Throws a DecodeError. */
export function contentsOf(text: string, lines: LineCounter): unknown {
  return contentsIn(text, lines).next().value ?? null
}

/** The root node of each document, parsed one at a time. Throws a DecodeError. */
export function* contentsIn(text: string, lines: LineCounter): Generator<unknown, undefined> {
  for (const { error, contents } of documentsIn(text, lines)) {
    if (error !== undefined) throw error
    yield contents
  }
}

/** A document of a text: its root node, and the first thing that is wrong with it. */
interface ParsedDocument {
  readonly contents: unknown
  readonly error?: DecodeError
  /** What kubectl does not read, as far as it was found since the document before. */
  readonly unread: readonly UnreadSpan[]
}

/** Directives, which it knows nothing of, and ends of documents (`...`) behind which it reads nothing up to the next `---`. */
interface UnreadSpan extends TextSpan {
  readonly is: 'directive' | 'end'
}

/** A part of a text, by its place alone. */
export interface TextSpan {
  readonly start: number
  readonly length: number
}

/** A part of a text, and where it begins there. */
export interface TextPiece {
  readonly start: number
  readonly text: string
}

/** Each document, parsed one at a time, of a text or of pieces of one in their order. Throws a DecodeError for a text that is nested too deeply. */
export function* documentsIn(
  text: string,
  lines: LineCounter,
  pieces: readonly TextPiece[] = [{ start: 0, text }],
): Generator<ParsedDocument, undefined> {
  const composer = new Composer({
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    logLevel: 'silent',
  })
  const found: UnreadSpan[] = []
  const tokens = noting(tokensOf(pieces, lines), found)
  for (const { errors, contents } of composer.compose(tokens, true, text.length)) {
    const [first] = errors
    const unread = found.splice(0)
    if (first === undefined) {
      yield { contents, unread }
      continue
    }
    const { line, col } = lines.linePos(first.pos[0])
    const error = new DecodeError('YAML', first.message, { line, column: col })
    yield { contents, error, unread }
  }
}

/** The syntax tree of each document. The parser does not recurse, so its depth is checked before the composer, which does. */
function* tokensOf(pieces: readonly TextPiece[], lines: LineCounter): Generator<CST.Token> {
  lines.addNewLine(0)
  for (const { start, text } of pieces) {
    const parser = new Parser(lines.addNewLine)
    parser.offset = start
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme)
      if (parser.stack.length <= maxStack) continue
      const { line, col } = lines.linePos(parser.offset)
      throw new DecodeError('YAML', 'nested too deeply', { line, column: col })
    }
    yield* parser.end()
  }
}

/** The same tokens; what kubectl does not read of them is added to `unread`. */
function* noting(tokens: Iterable<CST.Token>, unread: UnreadSpan[]): Generator<CST.Token> {
  let end: UnreadSpan | undefined
  for (const token of tokens) {
    const { type, offset: start } = token
    if (type === 'directive') unread.push({ is: type, start, length: token.source.length })
    if (type === 'doc-end') end = { is: 'end', start, length: token.source.length }
    if (type === 'document') {
      const isApart = token.start.some((one) => one.type === 'doc-start')
      if (end !== undefined && !isApart && token.value !== undefined) unread.push(end)
      end = undefined
    }
    yield token
  }
}

/** Resolves parsed nodes to a JSON value by the rules of the platform's command-line clients. */
class YamlReader {
  readonly #lines: LineCounter
  readonly #duplicates: string[] = []
  readonly #anchors = new Map<string, Node>()
  /** Targets of the aliases that are being expanded. */
  readonly #open = new Set<Node>()
  #depth = 0
  #aliased = 0

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  read(root: unknown): Decoded {
    return { value: this.#node(root), duplicates: this.#duplicates }
  }

  /** Counts depth and expanded aliases on the way: both can grow out of proportion to the text. */
  #node(node: unknown): Json {
    if (!isNode(node)) return null
    if (this.#open.size > 0 && ++this.#aliased > maxAliased) {
      this.#fail(node, 'aliases stand for too many values')
    }
    if (this.#open.size === 0 && !isAlias(node) && node.anchor) this.#anchors.set(node.anchor, node)
    if (isScalar(node)) return this.#scalar(node)
    if (isAlias(node)) return this.#alias(node)
    if (++this.#depth > maxDepth) this.#fail(node, 'nested too deeply')
    const value = isSeq(node) ? node.items.map((item) => this.#node(item)) : this.#map(node)
    this.#depth--
    return value
  }

  /** Entries of merge keys fill in what the map does not have itself. */
  #map(map: Node): Json {
    if (!isMap(map)) return null
    const result: Record<string, Json> = {}
    const merged: Json[] = []
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) merged.push(this.#node(value))
      else this.#set(result, this.#key(key), key, value)
    }
    for (const source of merged.flatMap((one) => (Array.isArray(one) ? one : [one]))) {
      if (!isObject(source)) return this.#fail(map, 'a merge key needs a map or a list of maps')
      for (const [key, value] of Object.entries(source)) {
        if (!Object.hasOwn(result, key)) define(result, key, value ?? null)
      }
    }
    return result
  }

  /** Defines an entry. Of equal keys the last value counts; each further one is reported with its line. */
  #set(result: Record<string, Json>, key: string, keyNode: unknown, value: unknown): void {
    const read = this.#node(value)
    if (Object.hasOwn(result, key) && this.#duplicates.length < maxDuplicates) {
      const { line } = this.#place(keyNode)
      this.#duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`)
    }
    define(result, key, read)
  }

  /** The text of a key: `1: a` has the key "1". A map or a list is no key. */
  #key(node: unknown): string {
    const value = this.#node(node)
    if (typeof value === 'object' && value !== null) this.#fail(node, 'a key must be a scalar')
    return String(value)
  }

  /** Quoted scalars are strings; plain ones are what their text means. */
  #scalar(node: Scalar): Json {
    const text = String(node.value ?? '')
    if (node.tag !== undefined) return this.#tagged(node, node.tag, text)
    if (node.type !== 'PLAIN') return text
    return this.#plain(node, text)
  }

  /** Infinities and NaN, which JSON does not have, are refused. */
  #plain(node: Scalar, text: string): Json {
    const value = plainScalar(text)
    return value === undefined ? this.#fail(node, `${text} has no JSON form`) : value
  }

  /** Of the tags of YAML 1.1 those of scalars count; any other tag makes a string. */
  #tagged(node: Scalar, tag: string, text: string): Json {
    if (tag === binaryTag) return binaryText(text)
    const known = /^tag:yaml\.org,2002:(int|float|bool|null)$/.test(tag)
    return known ? this.#plain(node, text) : text
  }

  /** Expands an alias. An anchor that contains itself is refused, and all expansions of a document are bounded. */
  #alias(alias: Alias): Json {
    const target = this.#anchors.get(alias.source)
    if (target === undefined) return this.#fail(alias, `unknown anchor ${alias.source}`)
    if (this.#open.has(target)) return this.#fail(alias, `anchor ${alias.source} contains itself`)
    this.#open.add(target)
    const value = this.#node(target)
    this.#open.delete(target)
    return value
  }

  #place(node: unknown): { readonly line: number; readonly col: number } {
    const range = (node as Node | null)?.range
    return this.#lines.linePos(range?.[0] ?? 0)
  }

  #fail(node: unknown, why: string): never {
    const { line, col } = this.#place(node)
    throw new DecodeError('YAML', why, { line, column: col })
  }
}

/** True for the merge key `<<`, unquoted. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN' && key.tag === undefined
}
