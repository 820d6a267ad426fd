import { define } from '../../kernel/values/define-property.ts'
import type { Json } from '../../kernel/values/json.ts'
import { checkDecodeLimits, closingQuote, defaultLimits } from '../format/decode-limits.ts'
import {
  type Decoded,
  DecodeError,
  decodeUtf8,
  endOf,
  maxDuplicates,
  maxNumerals,
  type Numeral,
  parseInteger,
  type StrictProblems,
} from '../format/decoded.ts'
import { firstProblems, unknownFieldText } from '../format/strict-problems.ts'

/**
 * One JSON text as a value, by RFC 8259: nothing but white space may follow it. Integers beyond 2^53 become bigint, up to
 * 64 bits; of equal keys in an object the last counts and `duplicates` names their path.
 *
 * @throws DecodeError (BadRequest) with line and column for a text that is not JSON
 * @throws StatusError RequestEntityTooLarge for a text that holds more than `limits`
 */
export function decodeJson(bytes: Uint8Array | string, limits = defaultLimits): Decoded {
  const text = decodeUtf8(bytes, 'JSON')
  const native = checkDecodeLimits(text, limits) ? readNatively(text) : undefined
  return native ?? new JsonReader(text, limits.depth).read()
}

/** What a double may not hold, and what may be half of a character. */
const delicate = /\d{16}|\\u[dD]/

/**
 * A text that JSON.parse reads and JSON.stringify writes back, but for white space, has no duplicate keys and no inexact numbers
 * but long ones, which holds for nearly every body. Any other text gives undefined and is read again by the strict, slower reader.
 */
function readNatively(text: string): Decoded | undefined {
  if (delicate.test(text)) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isSpaced(text, JSON.stringify(value)) ? { value, duplicates: [] } : undefined
  } catch {
    return undefined
  }
}

/** True if a JSON text is the compact one with white space between its tokens, or without. */
function isSpaced(text: string, compact: string): boolean {
  if (text.length === compact.length) return text === compact
  let at = 0
  for (let start = 0; start < text.length; ) {
    const code = text.charCodeAt(start)
    if (code === 0x22) {
      const end = closingQuote(text, start) + 1
      if (!compact.startsWith(text.slice(start, end), at)) return false
      at += end - start
      start = end
    } else {
      if (code > 0x20 && code !== compact.charCodeAt(at++)) return false
      start++
    }
  }
  return at === compact.length
}

/** A string without escapes, which is its own value. */
const plainString = /"[^"\\\p{Cc}]*"/uy
const loneSurrogate = /\p{Surrogate}/gu
const numeral = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const space = /[ \t\n\r]*/y
const literals: Readonly<Record<string, Json>> = { true: true, false: false, null: null }

/** A recursive descent parser that keeps its path and position, for duplicates, 64-bit integers and error messages. */
class JsonReader {
  readonly #text: string
  readonly #maxDepth: number
  /** Keys and indexes from the root to the value that is being read; its length is the depth. */
  readonly #path: (string | number)[] = []
  readonly #duplicates: string[] = []
  readonly #numerals: Numeral[] = []
  /** Unknown and duplicate fields in the order of the text; nothing in an unknown field is one. */
  readonly #problems: string[] = []
  #unknown: ReadonlySet<string> | undefined
  #at = 0

  constructor(text: string, maxDepth: number) {
    this.#text = text
    this.#maxDepth = maxDepth
  }

  read(): Decoded {
    const value = this.#value()
    this.#skip()
    if (this.#at < this.#text.length) this.#fail('unexpected data after the value')
    const [duplicates, numerals] = [this.#duplicates, this.#numerals]
    return {
      value,
      duplicates,
      ...(duplicates.length > 0 && { strict: this.#strict() }),
      ...(numerals.length > 0 && { numerals }),
    }
  }

  /** Reads the text once more for the order in which its problems stand, when it is asked for. */
  #strict(): StrictProblems {
    const [text, depth] = [this.#text, this.#maxDepth]
    const warnings = (unknown: readonly string[]) => {
      const reader = new JsonReader(text, depth)
      reader.#unknown = new Set(unknown)
      reader.read()
      return firstProblems([...reader.#problems, ...unknown.map(unknownFieldText)])
    }
    return { warnings, error: (unknown) => warnings(unknown).join(', ') }
  }

  /** The value that begins here, after white space. */
  #value(): Json {
    this.#skip()
    const char = this.#text[this.#at]
    if (char === '{') return this.#nested(() => this.#object())
    if (char === '[') return this.#nested(() => this.#list())
    if (char === '"') return this.#string()
    return this.#scalar()
  }

  /** Reads an object or a list one level deeper, up to the limit of depth. */
  #nested<T>(read: () => T): T {
    if (this.#path.length >= this.#maxDepth) {
      this.#fail(`nested more than ${this.#maxDepth} levels deep`)
    }
    this.#at++
    return read()
  }

  /** Keys are defined as own properties: `__proto__` is a key like any other. */
  #object(): Json {
    const result: Record<string, Json> = {}
    this.#skip()
    if (this.#take('}')) return result
    const depth = this.#path.push('') - 1
    do {
      this.#skip()
      if (this.#text[this.#at] !== '"') this.#fail('expected a property name in double quotes')
      const key = this.#string()
      this.#path[depth] = key
      const known = this.#unknown
      if (known?.has(pathText(this.#path))) {
        this.#problems.push(unknownFieldText(pathText(this.#path)))
        this.#unknown = undefined
      } else if (Object.hasOwn(result, key)) this.#duplicate()
      this.#skip()
      if (!this.#take(':')) this.#fail('expected a colon after the property name')
      define(result, key, this.#value())
      this.#unknown = known
      this.#skip()
    } while (this.#take(','))
    if (!this.#take('}')) this.#fail('expected a comma or the end of the object')
    this.#path.pop()
    return result
  }

  /** The path has the index of the item that is read, for reports of duplicate keys in it. */
  #list(): Json {
    const result: Json[] = []
    this.#skip()
    if (this.#take(']')) return result
    const depth = this.#path.push(0) - 1
    do {
      this.#path[depth] = result.length
      result.push(this.#value())
      this.#skip()
    } while (this.#take(','))
    if (!this.#take(']')) this.#fail('expected a comma or the end of the list')
    this.#path.pop()
    return result
  }

  /** A string with escapes is left to the native parser, which decodes them strictly. Half of a character becomes U+FFFD. */
  #string(): string {
    const plain = this.#match(plainString)
    if (plain !== undefined) return plain.slice(1, -1)
    const start = this.#at
    const end = closingQuote(this.#text, start)
    if (end >= this.#text.length) this.#fail('a string that does not end')
    try {
      const value = JSON.parse(this.#text.slice(start, end + 1)) as string
      this.#at = end + 1
      return value.replace(loneSurrogate, '\ufffd')
    } catch {
      return this.#fail('a string with an invalid escape or a control character')
    }
  }

  #scalar(): Json {
    const number = this.#match(numeral)
    if (number !== undefined) return this.#number(number)
    for (const [word, value] of Object.entries(literals)) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return value
    }
    return this.#fail(this.#at < this.#text.length ? 'expected a value' : 'unexpected end')
  }

  /** Numbers with a fraction or an exponent are doubles; integers are exact up to 64 bits. */
  #number(text: string): Json {
    const value = /[.eE]/.test(text) ? Number(text) : parseInteger(text)
    if (value === Infinity || value === -Infinity) {
      this.#fail(
        `json: cannot unmarshal number ${text.slice(0, 100)} into Go value of type float64`,
      )
    }
    if (String(value) !== text && this.#numerals.length < maxNumerals) {
      this.#numerals.push({ path: [...this.#path], text })
    }
    return value
  }

  /** The text that a sticky pattern matches here; the position moves behind it. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at = pattern.lastIndex
    return found[0]
  }

  #skip(): void {
    this.#match(space)
  }

  #take(char: string): boolean {
    const there = this.#text[this.#at] === char
    if (there) this.#at++
    return there
  }

  #duplicate(): void {
    if (this.#duplicates.length >= maxDuplicates) return
    const text = `duplicate field ${JSON.stringify(pathText(this.#path))}`
    this.#duplicates.push(text)
    if (this.#unknown !== undefined) this.#problems.push(text)
  }

  /** Line and column are counted only now: errors are rare. */
  #fail(why: string): never {
    throw new DecodeError('JSON', why, endOf(this.#text.slice(0, this.#at)))
  }
}

/** `spec.containers[0].name` */
function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index > 0 ? `.${part}` : part))
    .join('')
}
