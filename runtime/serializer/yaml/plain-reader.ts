/**
 * Reads what most YAML files are made of: block maps and lists, scalars on one line, literal blocks, flow collections on one line,
 * and comments. It gives values without positions, in a small part of the time of a parser, and gives up at everything else: a text
 * that it reads has the values that `readLocatedDocuments` gives, and neither duplicates nor problems.
 */
import type { Json } from '../../kernel/values/json.ts'
import { plainScalar } from './yaml-scalar.ts'

/** Characters that stand in few texts, line ends other than `\n` among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unusual = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/

const plainKey = /[A-Za-z0-9_./$][A-Za-z0-9_./$-]{0,255}(?=:(?: |\n|$))/y
const quotedKey = /(?:"[^"\\\n\t]{0,255}"|'[^'\n\t]{0,255}')(?=:(?: |\n|$))/y
/** To the end of the line or to ` #`; `: ` ends it, too, and is refused by what follows. */
const plain =
  /(?:[A-Za-z0-9_./$~(<+=^;\\\u00a0-\ufffd]|[-:](?=[^ \n]))(?:[^\n\t#:]|(?<! )#|:(?=[^ \n]))*/y
/** The same within brackets, where other readers end it at a question mark: that is told. */
const flowPlain =
  /(?:[A-Za-z0-9_./$~(<+=^;\\\u00a0-\ufffd]|[-:](?=[^ \n,[\]{}]))(?:[^\n\t#:,?[\]{}]|:(?=[^ \n,[\]{}]))*/y
/** With the escapes that JSON has, too. */
const doubleQuoted = /"(?:[^"\\\n\t]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y
const singleQuoted = /'(?:[^'\n\t]|'')*'/y
const literalHead = /\|-?\n/y
const restOfLine = / *(?: #[^\n]*)?(?:\n|$)/y

const maxLevels = 60
const [newline, space, quote, hash, apostrophe, comma, dash] = [10, 32, 34, 35, 39, 44, 45]
const [tab, percent, openList, closeList, openMap, bar, closeMap] = [9, 37, 91, 93, 123, 124, 125]

/** The value of every document that is not empty; undefined for a text that wants a parser. */
export function readPlainDocuments(text: string): readonly Json[] | undefined {
  if (unusual.test(text)) return undefined
  try {
    return new PlainReader(text).documents()
  } catch (error) {
    if (error === wantsParser) return undefined
    throw error
  }
}

/** Thrown at what is not plain; one for all, since its stack says nothing. */
const wantsParser = new Error('this wants a parser')

class PlainReader {
  readonly #text: string
  /** The first character of the line that is read next, and how far it is indented: -1 at the end of a document. */
  #at = 0
  #indent = -1
  #level = 0

  constructor(text: string) {
    this.#text = text
  }

  documents(): readonly Json[] {
    const found: Json[] = []
    for (this.#goToLine(0); ; this.#goToLine(this.#take(restOfLine, this.#at + 3))) {
      if (this.#indent >= 0) found.push(this.#block(this.#indent))
      if (this.#indent >= 0) throw wantsParser
      if (this.#at >= this.#text.length) return found
    }
  }

  /** Goes to the first line from here that is neither empty nor a comment. */
  #goToLine(start: number): void {
    const text = this.#text
    for (let line = start; ; line = this.#lineAfter(this.#at)) {
      this.#at = line
      this.#skipSpaces()
      const first = text.charCodeAt(this.#at)
      if (first === tab) throw wantsParser
      if (first === newline || first === hash) continue
      const ends = this.#at >= text.length || (this.#at === line && this.#isMark())
      this.#indent = ends ? -1 : this.#at - line
      return
    }
  }

  /** True at a line that begins a document. */
  #isMark(): boolean {
    const text = this.#text
    if (text.charCodeAt(this.#at) === percent || text.startsWith('...', this.#at)) throw wantsParser
    return /^---(?: |\n|$)/.test(text.slice(this.#at, this.#at + 4))
  }

  #lineAfter(at: number): number {
    const end = this.#text.indexOf('\n', at)
    return end < 0 ? this.#text.length : end + 1
  }

  #skipSpaces(): void {
    while (this.#text.charCodeAt(this.#at) === space) this.#at++
  }

  /** Where what the pattern finds at a place ends. */
  #take(pattern: RegExp, at: number): number {
    pattern.lastIndex = at
    if (!pattern.test(this.#text)) throw wantsParser
    return pattern.lastIndex
  }

  /** A map or list that begins at this place. */
  #block(indent: number): Json {
    if (++this.#level > maxLevels) throw wantsParser
    const value = this.#isItem() ? this.#list(indent) : this.#map(indent)
    if (this.#indent > indent) throw wantsParser
    this.#level--
    return value
  }

  #map(indent: number): Json {
    const result: Record<string, Json> = {}
    while (this.#indent === indent) {
      const key = this.#newKey(result)
      result[key] = this.#value(indent, 'key')
    }
    return result
  }

  #list(indent: number): Json {
    const items: Json[] = []
    while (this.#indent === indent && this.#isItem()) {
      const start = this.#at
      this.#at++
      this.#skipSpaces()
      if (this.#isItem()) throw wantsParser
      const within = indent + this.#at - start
      if (this.#keyEnd() < 0) items.push(this.#value(indent, 'item'))
      else {
        this.#indent = within
        items.push(this.#block(within))
      }
    }
    return items
  }

  #isItem(): boolean {
    if (this.#text.charCodeAt(this.#at) !== dash) return false
    const next = this.#text.charCodeAt(this.#at + 1)
    return next === space || next === newline
  }

  /** Where the key at this place ends; -1 if there is none. */
  #keyEnd(): number {
    const first = this.#text.charCodeAt(this.#at)
    const pattern = first === quote || first === apostrophe ? quotedKey : plainKey
    pattern.lastIndex = this.#at
    return pattern.test(this.#text) ? pattern.lastIndex : -1
  }

  /** Passes a key and its colon. */
  #newKey(map: object): string {
    const end = this.#keyEnd()
    const text = this.#text.slice(this.#at, end)
    const isQuoted = text.startsWith('"') || text.startsWith("'")
    const key = isQuoted ? text.slice(1, -1) : plainScalar(text)
    if (end < 0 || key === undefined) throw wantsParser
    const word = String(key)
    if (word === '__proto__' || Object.hasOwn(map, word)) throw wantsParser
    this.#at = end + 1
    return word
  }

  /** What a key or an item of a list has; the line behind it is next then. */
  #value(indent: number, of: 'key' | 'item'): Json {
    this.#skipSpaces()
    const first = this.#text.charCodeAt(this.#at)
    if (first === bar) return this.#literal(indent)
    if (Number.isNaN(first) || first === newline || first === hash) return this.#below(indent, of)
    const value = this.#inline(plain)
    this.#goToLine(this.#take(restOfLine, this.#at))
    return value
  }

  /** What stands on the lines below. A list may be indented as its key is. */
  #below(indent: number, of: 'key' | 'item'): Json {
    if (this.#text[this.#at] === '#' && this.#text[this.#at - 1] !== ' ') throw wantsParser
    this.#goToLine(this.#lineAfter(this.#at))
    const isListOfKey = of === 'key' && this.#indent === indent && this.#isItem()
    return this.#indent > indent || isListOfKey ? this.#block(this.#indent) : null
  }

  /** A block that keeps its lines, of which the first says how far they are indented. */
  #literal(indent: number): Json {
    const text = this.#text
    let line = this.#take(literalHead, this.#at)
    const ending = text[line - 2] === '-' ? '' : '\n'
    const lines: string[] = []
    let [margin, widest] = [0, 0]
    for (; line < text.length; line = this.#lineAfter(line)) {
      this.#at = line
      this.#skipSpaces()
      const width = this.#at - line
      const isEmpty = this.#at >= text.length || text.charCodeAt(this.#at) === newline
      if (isEmpty) widest = Math.max(widest, width)
      else if (margin > 0 && width < margin) break
      else if (width <= indent) throw wantsParser
      else if (margin === 0) margin = width
      const end = text.indexOf('\n', this.#at)
      lines.push(isEmpty ? '' : text.slice(line + margin, end < 0 ? text.length : end))
    }
    if (margin === 0 || widest > margin) throw wantsParser
    while (lines.at(-1) === '') lines.pop()
    this.#goToLine(line)
    return lines.join('\n') + ending
  }

  /** A value on one line. */
  #inline(unquoted: RegExp): Json {
    const start = this.#at
    const first = this.#text.charCodeAt(start)
    if (first === openMap) return this.#flow(closeMap)
    if (first === openList) return this.#flow(closeList)
    if (first === quote) {
      const text = this.#text.slice(start, this.#pass(doubleQuoted))
      return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1)
    }
    if (first === apostrophe) {
      return this.#text.slice(start + 1, this.#pass(singleQuoted) - 1).replaceAll("''", "'")
    }
    let end = this.#pass(unquoted)
    while (this.#text.charCodeAt(end - 1) === space) end--
    this.#at = end
    const value = plainScalar(this.#text.slice(start, end))
    if (value === undefined) throw wantsParser
    return value
  }

  #pass(pattern: RegExp): number {
    this.#at = this.#take(pattern, this.#at)
    return this.#at
  }

  /** A map or list in brackets. */
  #flow(close: number): Json {
    if (++this.#level > maxLevels) throw wantsParser
    const [items, map]: [Json[], Record<string, Json>] = [[], {}]
    this.#at++
    this.#skipSpaces()
    const isEmpty = this.#text.charCodeAt(this.#at) === close
    for (let next = isEmpty ? close : comma; next !== close; ) {
      if (close === closeList) items.push(this.#inline(flowPlain))
      else this.#flowEntry(map)
      this.#skipSpaces()
      next = this.#text.charCodeAt(this.#at)
      if (next !== close && next !== comma) throw wantsParser
      if (next === comma) this.#at++
      this.#skipSpaces()
    }
    this.#at++
    this.#level--
    return close === closeList ? items : map
  }

  #flowEntry(map: Record<string, Json>): void {
    const key = this.#newKey(map)
    this.#skipSpaces()
    map[key] = this.#inline(flowPlain)
  }
}
