/** Regular expressions as trees: the part of the language that schemas need, without look-around and back-references. */

/** A node of a pattern; `repeat` matches `part` from `least` to `most` times. */
export type PatternNode =
  | { readonly is: 'chars'; readonly chars: CharSet }
  | { readonly is: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly is: 'choice'; readonly branches: readonly PatternNode[] }
  | {
      readonly is: 'repeat'
      readonly part: PatternNode
      readonly least: number
      readonly most: number
    }

/** Codes of characters below 128; 128 stands for every other character. */
export type CharSet = ReadonlySet<number>

/** A part of a pattern that is not in the language above; the message says which. */
export class UnsupportedPattern extends Error {}

const other = 128
const all: CharSet = new Set(Array.from({ length: other + 1 }, (_, code) => code))

/** Any text: what comes before a pattern that does not begin with `^`. */
export const anyText: PatternNode = {
  is: 'repeat',
  part: { is: 'chars', chars: all },
  least: 0,
  most: Infinity,
}

/** Parses a pattern. Throws `UnsupportedPattern` for what is not in the language above. */
export function readPattern(text: string): PatternNode {
  const anchored = text.startsWith('^')
  const closed = /(?:^|[^\\])(?:\\\\)*\$$/.test(text)
  const inner = text.slice(anchored ? 1 : 0, closed ? -1 : undefined)
  const reader = new Reader(inner)
  const node = reader.read()
  if (node.is === 'choice' && (anchored || closed)) {
    throw new UnsupportedPattern(
      '"^" and "$" bind to one branch only; put the branches into a group',
    )
  }
  return anchored ? node : { is: 'sequence', parts: [anyText, node] }
}

/** Recursive descent over the text of a pattern; each method takes what it parses. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): PatternNode {
    const node = this.#choice()
    if (this.#at < this.#text.length)
      throw new UnsupportedPattern(`"${this.#text[this.#at]}" is out of place`)
    return node
  }

  #choice(): PatternNode {
    const branches = [this.#sequence()]
    while (this.#take('|')) branches.push(this.#sequence())
    return branches.length === 1 ? (branches[0] as PatternNode) : { is: 'choice', branches }
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] as string)) {
      parts.push(this.#repeat(this.#atom()))
    }
    return { is: 'sequence', parts }
  }

  /** The repetition after an atom, lazy ones included: which match is found first does not matter here. */
  #repeat(part: PatternNode): PatternNode {
    const found = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(this.#text.slice(this.#at))
    if (found === null) return part
    this.#at += found[0].length
    const [, sign, low, comma, high] = found
    if (sign !== undefined) {
      return { is: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity }
    }
    const least = Number(low)
    const most = comma === undefined ? least : high === '' ? Infinity : Number(high)
    return { is: 'repeat', part, least, most }
  }

  #atom(): PatternNode {
    const char = this.#text[this.#at++] as string
    switch (char) {
      case '(':
        return this.#group()
      case '[':
        return { is: 'chars', chars: this.#class() }
      case '.':
        return { is: 'chars', chars: all }
      case '\\':
        return { is: 'chars', chars: this.#escape() }
      default:
        if ('^$*+?{'.includes(char)) throw new UnsupportedPattern(`"${char}" is out of place`)
        return { is: 'chars', chars: new Set([codeOf(char)]) }
    }
  }

  /** The rest of a group, after its opening parenthesis. */
  #group(): PatternNode {
    if (this.#take('?') && !this.#take(':'))
      throw new UnsupportedPattern('"(?" other than "(?:" is not known')
    const node = this.#choice()
    if (!this.#take(')')) throw new UnsupportedPattern('a group does not end')
    return node
  }

  /** The characters of an escape, after its backslash. */
  #escape(): CharSet {
    const char = this.#text[this.#at++] ?? ''
    const known = classes.get(char.toLowerCase())
    if (known !== undefined) return char === char.toLowerCase() ? known : without(known)
    if (/[0-9a-z]/i.test(char) && !controls.has(char))
      throw new UnsupportedPattern(`"\\${char}" is not known`)
    return new Set([codeOf(controls.get(char) ?? char)])
  }

  /** The characters of a class, after its opening bracket. */
  #class(): CharSet {
    const negated = this.#take('^')
    const found = new Set<number>()
    while (!this.#take(']')) {
      if (this.#at >= this.#text.length) throw new UnsupportedPattern('a class does not end')
      const low = this.#classChar()
      const range = this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']'
      if (range) this.#at++
      const high = range ? this.#classChar() : low
      const codes = range ? span(Math.min(...low), Math.max(...high)) : low
      for (const code of codes) found.add(code)
    }
    return negated ? without(found) : found
  }

  #classChar(): CharSet {
    const char = this.#text[this.#at++] as string
    return char === '\\' ? this.#escape() : new Set([codeOf(char)])
  }

  /** Takes a character if it comes next. */
  #take(char: string): boolean {
    const there = this.#text[this.#at] === char
    if (there) this.#at++
    return there
  }
}

function codeOf(char: string): number {
  return Math.min(char.charCodeAt(0), other)
}

function span(low: number, high: number): readonly number[] {
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, at) => low + at)
}

function letters(from: string, to: string): readonly number[] {
  return span(codeOf(from), codeOf(to))
}

const digits: CharSet = new Set(letters('0', '9'))
/** The classes by the letter of their escape; a capital means the opposite. */
const classes: ReadonlyMap<string, CharSet> = new Map<string, CharSet>([
  ['d', digits],
  ['w', new Set([...digits, ...letters('a', 'z'), ...letters('A', 'Z'), codeOf('_')])],
  ['s', new Set([...' \t\n\r\f\v'].map(codeOf).concat(other))],
])
const controls: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['f', '\f'],
  ['v', '\v'],
])

/** The opposite of a set. The code 128 is in a set and in its opposite: it stands for many characters. */
function without(chars: CharSet): CharSet {
  return new Set([...all].filter((code) => code === other || !chars.has(code)))
}
