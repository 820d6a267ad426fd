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

const simpleEscapes: ReadonlySet<string> = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't'])

/** Reads bytes without making anything of them. Open objects and lists are kept in a list, so that any depth is read. */
class SyntaxReader {
  readonly #bytes: Uint8Array
  readonly #open: ('{' | '[')[] = []
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
      const char = this.#next()
      if (char === '{') {
        this.#at++
        if (this.#next() === '}') return this.#step()
        this.#open.push('{')
        const found = this.#key()
        if (found !== undefined) return found
      } else if (char === '[') {
        this.#at++
        if (this.#next() === ']') return this.#step()
        this.#open.push('[')
      } else return this.#scalar(char)
    }
  }

  /** Goes on to the next value: out of what ends here, behind a comma. */
  #behindValue(): 'value' | 'done' | string {
    for (;;) {
      const char = this.#next()
      const inside = this.#open.at(-1)
      if (inside === undefined) return char === '' ? 'done' : this.#wrong('after top-level value')
      if (char === ',') {
        this.#at++
        return (inside === '{' ? this.#key() : undefined) ?? 'value'
      }
      if (char !== (inside === '{' ? '}' : ']')) {
        return this.#wrong(inside === '{' ? 'after object key:value pair' : 'after array element')
      }
      this.#at++
      this.#open.pop()
    }
  }

  #key(): string | undefined {
    if (this.#next() !== '"') return this.#wrong('looking for beginning of object key string')
    const found = this.#string()
    if (found !== undefined) return found
    if (this.#next() !== ':') return this.#wrong('after object key')
    return this.#step()
  }

  #scalar(char: string): string | undefined {
    if (char === '"') return this.#string()
    if (/[-0-9]/.test(char)) return this.#number()
    const word = words.get(this.#bytes[this.#at] ?? 0)
    if (word === undefined) return this.#wrong('looking for beginning of value')
    for (const [index, letter] of [...word].entries()) {
      if (this.#char() !== letter) {
        return this.#wrong(`in literal ${word} (expecting ${quotedChar(letter.charCodeAt(0))})`)
      }
      if (index < word.length) this.#at++
    }
    return undefined
  }

  #string(): string | undefined {
    for (this.#at++; ; this.#at++) {
      const char = this.#char()
      if (char === '') return end
      if (char === '"') return this.#step()
      if (char < ' ') return this.#wrong('in string literal')
      if (char !== '\\') continue
      this.#at++
      if (this.#char() === 'u') {
        for (let digit = 0; digit < 4; digit++) {
          this.#at++
          if (!/^[0-9a-fA-F]$/.test(this.#char())) {
            return this.#wrong('in \\u hexadecimal character escape')
          }
        }
      } else if (!simpleEscapes.has(this.#char())) return this.#wrong('in string escape code')
    }
  }

  #number(): string | undefined {
    if (this.#char() === '-') this.#at++
    if (this.#char() === '0') this.#at++
    else if (!this.#digits()) return this.#wrong('in numeric literal')
    if (this.#char() === '.') {
      this.#at++
      if (!this.#digits()) return this.#wrong('after decimal point in numeric literal')
    }
    if (/^[eE]$/.test(this.#char())) {
      this.#at++
      if (/^[-+]$/.test(this.#char())) this.#at++
      if (!this.#digits()) return this.#wrong('in exponent of numeric literal')
    }
    return undefined
  }

  /** True if there was a digit. */
  #digits(): boolean {
    const start = this.#at
    while (/^[0-9]$/.test(this.#char())) this.#at++
    return this.#at > start
  }

  /** The byte here as a character; none at the end. */
  #char(): string {
    const byte = this.#bytes[this.#at]
    return byte === undefined ? '' : String.fromCharCode(byte)
  }

  /** The next byte that is no white space. */
  #next(): string {
    while (/^[ \t\r\n]$/.test(this.#char())) this.#at++
    return this.#char()
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
