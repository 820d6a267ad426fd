/** From text to tokens, one at a time. */
import type { CompileError } from './source.ts'
import { stringLiteral } from './strings.ts'

/** The kind of a token. Operators and punctuation are their own text. */
export type TokenKind =
  | 'end'
  | 'ident'
  | 'quoted'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'true'
  | 'false'
  | 'null'
  | 'in'
  | (string & {})

/** The tokens that an expression may begin with. */
export const starts: ReadonlySet<TokenKind> = new Set([
  ...['[', '{', '(', '.', '-', '!', 'true', 'false', 'null'],
  ...['double', 'int', 'uint', 'string', 'bytes', 'ident'],
])

/** The same, as ANTLR lists them: clients know the list from its messages. */
export const expectedAtStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** Thrown by lexer and parser; `parse` catches it. */
export class CelSyntaxError {
  readonly error: CompileError
  constructor(message: string, start: number, end: number) {
    this.error = { message, start, end }
  }
}

/** A cursor over the tokens of a source: `kind`, `start`, `end` and `value` describe the token under it. */
export class Lexer {
  readonly source: string
  kind: TokenKind = 'end'
  start = 0
  end = 0
  /** The end of the token before. */
  last = 0
  value: string | Uint8Array = ''

  constructor(source: string) {
    this.source = source
    this.next()
  }

  /** The token's text as it stands in the source. */
  text(): string {
    return this.source.slice(this.start, this.end)
  }

  /** Moves to the next token. */
  next(): void {
    this.last = this.end
    this.start = this.#skip(this.end)
    const code = this.source.charCodeAt(this.start)
    if (Number.isNaN(code)) {
      this.kind = 'end'
      this.end = this.start
    } else if (isLetter(code)) this.#word()
    else if (isDigit(code) || (code === dot && isDigit(this.#code(1)))) this.#number()
    else if (code === quote || code === doubleQuote) this.#string(this.start)
    else if (code === backQuote) this.#quoted()
    else this.#operator()
  }

  /** Moves past a token of this kind; any other is an error. */
  expect(kind: TokenKind): void {
    if (this.kind !== kind) this.unexpected(`'${kind}'`)
    this.next()
  }

  /** Ends parsing at a token that no expression begins with: it is too much if one begins with the token after it. */
  noStart(): never {
    const { start, end } = this
    const got = this.kind === 'end' ? '<EOF>' : this.text()
    const isEnd = this.kind === 'end'
    if (!isEnd) this.next()
    const what = !isEnd && starts.has(this.kind) ? 'extraneous' : 'mismatched'
    const message = `Syntax error: ${what} input '${got}' expecting ${expectedAtStart}`
    throw new CelSyntaxError(message, start, end)
  }

  /** Ends parsing at the token, which is not what is wanted here. */
  unexpected(wanted: string): never {
    const got = this.kind === 'end' ? '<EOF>' : this.text()
    const message = `Syntax error: mismatched input '${got}' expecting ${wanted}`
    throw new CelSyntaxError(message, this.start, this.end)
  }

  #code(ahead: number): number {
    return this.source.charCodeAt(this.start + ahead)
  }

  /** The offset after white space and comments. */
  #skip(from: number): number {
    let at = from
    for (;;) {
      const code = this.source.charCodeAt(at)
      if (code === 32 || (code >= 9 && code <= 13 && code !== 11)) at++
      else if (code === slash && this.source.charCodeAt(at + 1) === slash) {
        const end = this.source.indexOf('\n', at)
        at = end < 0 ? this.source.length : end
      } else return at
    }
  }

  /** An identifier, a word of the language, or the prefix of a string (`r`, `b`, `br`). */
  #word(): void {
    let at = this.start + 1
    while (isWord(this.source.charCodeAt(at))) at++
    const next = this.source.charCodeAt(at)
    const text = this.source.slice(this.start, at)
    if ((next === quote || next === doubleQuote) && /^(?:r|b|br)$/i.test(text)) {
      this.#string(at)
      return
    }
    this.end = at
    this.value = text
    this.kind =
      text === 'in' || text === 'true' || text === 'false' || text === 'null' ? text : 'ident'
  }

  #string(at: number): void {
    const literal = stringLiteral(this.source, this.start, at)
    if (literal.end === undefined) {
      throw new CelSyntaxError(`Syntax error: ${literal.problem}`, literal.at, literal.at + 1)
    }
    this.end = literal.end
    this.value = literal.value
    this.kind = typeof literal.value === 'string' ? 'string' : 'bytes'
  }

  /** A field name in backquotes. */
  #quoted(): void {
    const close = this.source.indexOf('`', this.start + 1)
    const text = close < 0 ? '' : this.source.slice(this.start + 1, close)
    if (!/^[a-zA-Z0-9_.\-/ ]+$/.test(text)) this.#unknown()
    this.end = close + 1
    this.value = text
    this.kind = 'quoted'
  }

  #number(): void {
    numberShape.lastIndex = this.start
    const [text = '', hex] = numberShape.exec(this.source) ?? []
    this.end = this.start + text.length
    const unsigned = /[uU]$/.test(text)
    const isDouble = hex === undefined && /[.eE]/.test(text)
    if (isDouble && unsigned) this.end--
    this.kind = isDouble ? 'double' : unsigned ? 'uint' : 'int'
    this.value = unsigned ? text.slice(0, -1) : text
  }

  #operator(): void {
    const two = this.source.slice(this.start, this.start + 2)
    const text = twoCharacter.has(two) ? two : two.slice(0, 1)
    if (text.length === 1 && !oneCharacter.has(text)) this.#unknown()
    this.end = this.start + text.length
    this.kind = text
    this.value = text
  }

  #unknown(): never {
    const text = String.fromCodePoint(this.source.codePointAt(this.start) ?? 0)
    throw new CelSyntaxError(
      `Syntax error: token recognition error at: '${text}'`,
      this.start,
      this.start + text.length,
    )
  }
}

const numberShape =
  /(0[xX][0-9a-fA-F]+)[uU]?|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[uU]?/y
const twoCharacter = new Set(['==', '!=', '<=', '>=', '&&', '||'])
const oneCharacter = new Set([...'+-*/%<>!?:.,()[]{}'])
const dot = 46
const slash = 47
const quote = 39
const doubleQuote = 34
const backQuote = 96

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95
}

function isWord(code: number): boolean {
  return isLetter(code) || isDigit(code)
}
