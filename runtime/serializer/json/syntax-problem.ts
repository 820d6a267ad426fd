/**
 * Why a text is no JSON, in the words that public clients know; undefined for a text that is. The byte at which reading
 * ends is named, not its place.
 */
export function syntaxProblem(bytes: Uint8Array): string | undefined {
  return new SyntaxReader(bytes).problem()
}

const end = 'unexpected end of JSON input'
const words: ReadonlyMap<number, string> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]),
)

const simpleEscapes: ReadonlySet<number> = new Set(
  ['"', '\\', '/', 'b', 'f', 'n', 'r', 't'].map((char) => char.charCodeAt(0)),
)

/** Levels of objects and lists that public servers read. */
const maxOpen = 10_000

/** The byte behind the last one. */
const none = -1
const [tab, lineFeed, carriageReturn, blank] = [0x09, 0x0a, 0x0d, 0x20]
const [quote, backslash, comma, colon, plus, minus, dot] = [
  0x22, 0x5c, 0x2c, 0x3a, 0x2b, 0x2d, 0x2e,
]
const [openList, openObject] = [0x5b, 0x7b]
const [zero, nine, letterE, letterU] = [0x30, 0x39, 0x65, 0x75]
/** The bit that makes a letter a small one. */
const lowerCase = 0x20

/** What ends a list or an object: both stand two places behind what opens them. */
function closeOf(open: number): number {
  return open + 2
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | lowerCase) >= 0x61 && (byte | lowerCase) <= 0x66)
}

/** Reads bytes without making anything of them. Open objects and lists are kept in a list, so that any depth is read. */
class SyntaxReader {
  readonly #bytes: Uint8Array
  readonly #open: number[] = []
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  problem(): string | undefined {
    for (;;) {
      const found = this.#value()
      if (found !== undefined) return found
      const next = this.#behindValue()
      if (next === 'done') return undefined
      if (next !== 'value') return next
    }
  }

  /** Reads a scalar, or goes into an object or list up to its first scalar or its end. */
  #value(): string | undefined {
    for (;;) {
      const byte = this.#next()
      if (byte !== openObject && byte !== openList) return this.#scalar(byte)
      if (this.#open.length >= maxOpen) return this.#wrong('exceeded max depth')
      this.#at++
      if (this.#next() === closeOf(byte)) return this.#step()
      this.#open.push(byte)
      const found = byte === openObject ? this.#key() : undefined
      if (found !== undefined) return found
    }
  }

  /** Goes on to the next value: out of what ends here, behind a comma. */
  #behindValue(): 'value' | 'done' | string {
    for (;;) {
      const byte = this.#next()
      const inside = this.#open.at(-1)
      if (inside === undefined) return byte === none ? 'done' : this.#wrong('after top-level value')
      const isObject = inside === openObject
      if (byte === comma) {
        this.#at++
        return (isObject ? this.#key() : undefined) ?? 'value'
      }
      if (byte !== closeOf(inside)) {
        return this.#wrong(isObject ? 'after object key:value pair' : 'after array element')
      }
      this.#at++
      this.#open.pop()
    }
  }

  #key(): string | undefined {
    if (this.#next() !== quote) return this.#wrong('looking for beginning of object key string')
    const found = this.#string()
    if (found !== undefined) return found
    if (this.#next() !== colon) return this.#wrong('after object key')
    return this.#step()
  }

  #scalar(byte: number): string | undefined {
    if (byte === quote) return this.#string()
    if (byte === minus || isDigit(byte)) return this.#number()
    const word = words.get(byte)
    if (word === undefined) return this.#wrong('looking for beginning of value')
    for (const [index, letter] of [...word].entries()) {
      if (this.#byte() !== letter.charCodeAt(0)) {
        return this.#wrong(`in literal ${word} (expecting ${quotedChar(letter.charCodeAt(0))})`)
      }
      if (index < word.length) this.#at++
    }
    return undefined
  }

  #string(): string | undefined {
    for (this.#at++; ; this.#at++) {
      const byte = this.#byte()
      if (byte === none) return end
      if (byte === quote) return this.#step()
      if (byte < blank) return this.#wrong('in string literal')
      if (byte !== backslash) continue
      const found = this.#escape()
      if (found !== undefined) return found
    }
  }

  #escape(): string | undefined {
    this.#at++
    if (this.#byte() !== letterU) {
      return simpleEscapes.has(this.#byte()) ? undefined : this.#wrong('in string escape code')
    }
    for (let digit = 0; digit < 4; digit++) {
      this.#at++
      if (!isHexDigit(this.#byte())) return this.#wrong('in \\u hexadecimal character escape')
    }
    return undefined
  }

  #number(): string | undefined {
    if (this.#byte() === minus) this.#at++
    if (this.#byte() === zero) this.#at++
    else if (!this.#digits()) return this.#wrong('in numeric literal')
    if (this.#byte() === dot) {
      this.#at++
      if (!this.#digits()) return this.#wrong('after decimal point in numeric literal')
    }
    if ((this.#byte() | lowerCase) === letterE) {
      this.#at++
      if (this.#byte() === plus || this.#byte() === minus) this.#at++
      if (!this.#digits()) return this.#wrong('in exponent of numeric literal')
    }
    return undefined
  }

  /** True if there was a digit. */
  #digits(): boolean {
    const start = this.#at
    while (isDigit(this.#byte())) this.#at++
    return this.#at > start
  }

  /** The byte here. */
  #byte(): number {
    return this.#bytes[this.#at] ?? none
  }

  /** The next byte that is no white space. */
  #next(): number {
    for (;;) {
      const byte = this.#byte()
      const isSpace = byte === blank || byte === lineFeed || byte === tab || byte === carriageReturn
      if (!isSpace) return byte
      this.#at++
    }
  }

  #step(): undefined {
    this.#at++
  }

  /** Inside a word or number the end counts as the space that could follow it. */
  #wrong(where: string): string {
    const byte =
      this.#bytes[this.#at] ??
      (where.startsWith('in ') || where.includes('numeric') ? 0x20 : undefined)
    return byte === undefined ? end : `invalid character ${quotedChar(byte)} ${where}`
  }
}

const escapes: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  39: "\\'",
  92: '\\\\',
}

/** A byte in single quotes; one that is not visible is escaped. */
function quotedChar(byte: number): string {
  const visible = (byte >= 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
  const hex = byte.toString(16)
  const hidden = byte < 0x80 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`
  return `'${escapes[byte] ?? (visible ? String.fromCharCode(byte) : hidden)}'`
}
