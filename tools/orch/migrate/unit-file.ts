/** What a unit file of systemd starts: the words of its ExecStart=, with their places. */

/** One word of a command line. */
export interface UnitWord {
  /** Without quotes and escapes. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** The variable or specifier in it, which is known when the unit starts: `$ARGS`, `%i`. */
  readonly unknown?: string
}

/** A line of a command, which goes on over lines that end in a backslash. */
export interface UnitLine {
  readonly start: number
  /** Where the next one begins. */
  readonly end: number
  /** The place of the backslash. */
  readonly continued?: number
  readonly isComment: boolean
}

/** A command of a unit. */
export interface UnitCommand {
  readonly lines: readonly UnitLine[]
  readonly words: readonly UnitWord[]
  /** The letters before the program, such as `-` and `@`. */
  readonly prefix: string
}

/** Why a unit is not rewritten, and where. */
export interface UnitProblem {
  readonly message: string
  readonly at: number
}

/** The commands that a unit starts; `ExecStart=` without one takes those before it back. */
export function startCommands(text: string): readonly (UnitCommand | UnitProblem)[] {
  const commands: (UnitCommand | UnitProblem)[] = []
  let section = ''
  for (let at = 0; at < text.length; ) {
    const lines = logicalLine(text, at)
    const first = lines[0] as UnitLine
    at = (lines.at(-1) as UnitLine).end
    const head = text.slice(first.start, first.continued ?? first.end)
    section = /^\s*\[([^\]\n]*)\]\s*$/.exec(head)?.[1] ?? section
    const assigned = /^[ \t]*ExecStart[ \t]*=[ \t]*/.exec(head)
    if (first.isComment || section !== 'Service' || assigned === null) continue
    const command = readCommand(text, lines, first.start + assigned[0].length)
    if ('words' in command && command.words.length === 0) commands.length = 0
    else commands.push(command)
  }
  return commands
}

/** The lines from one on that are one assignment. Comments between them are none of it. */
function logicalLine(text: string, from: number): readonly UnitLine[] {
  const lines: UnitLine[] = []
  for (let start = from; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found + 1
    const line = text.slice(start, end)
    const isComment = /^[ \t]*[#;]/.test(line)
    const backslash = isComment ? -1 : (/\\\r?\n?$/.exec(line)?.index ?? -1)
    lines.push({ start, end, isComment, ...(backslash >= 0 && { continued: start + backslash }) })
    start = end
    const goesOn = backslash >= 0 || (isComment && lines.length > 1)
    if (!goesOn) break
  }
  return lines
}

function readCommand(
  text: string,
  lines: readonly UnitLine[],
  from: number,
): UnitCommand | UnitProblem {
  let joined = ''
  const places: number[] = []
  for (const { start, end, continued, isComment } of lines) {
    if (isComment) continue
    for (let at = Math.max(start, from); at < (continued ?? end); at++) {
      joined += text[at]
      places.push(at)
    }
    joined += ' '
    places.push(continued ?? end)
  }
  const prefix = /^[@:+!|-]*/.exec(joined)?.[0] ?? ''
  const words: UnitWord[] = []
  const reader = new WordReader(joined, prefix.length, !prefix.includes(':'))
  for (let read = reader.next(); read !== undefined; read = reader.next()) {
    const { start, end, problem, word, unknown } = read
    const [first = from, last = from] = [places[start], places[end - 1]]
    if (problem !== undefined) return { message: problem, at: first }
    if (text.slice(first, last).includes('\n')) {
      return { message: 'a word stands on two lines; write it on one', at: first }
    }
    words.push({ text: word, start: first, end: last + 1, ...(unknown && { unknown }) })
  }
  return { lines, words, prefix }
}

interface ReadWord {
  readonly word: string
  readonly start: number
  readonly end: number
  readonly unknown?: string
  readonly problem?: string
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', s: ' ' },
  ...{ '\\': '\\', '"': '"', "'": "'", ';': ';' },
}

/** Reads words by the rules of systemd: quotes, escapes, variables and specifiers. */
class WordReader {
  readonly #text: string
  readonly #hasVariables: boolean
  #at: number

  constructor(text: string, from: number, hasVariables: boolean) {
    this.#text = text
    this.#at = from
    this.#hasVariables = hasVariables
  }

  next(): ReadWord | undefined {
    const text = this.#text
    while (/\s/.test(text[this.#at] ?? '')) this.#at++
    if (this.#at >= text.length) return undefined
    const start = this.#at
    let [word, quote] = ['', '']
    let unknown: string | undefined
    for (; this.#at < text.length; this.#at++) {
      const char = text[this.#at] as string
      if (quote === '' && /\s/.test(char)) break
      if (char === quote) quote = ''
      else if (quote === '' && (char === '"' || char === "'")) quote = char
      else if (char === '\\') {
        const escaped = this.#escape()
        if (escaped === undefined) {
          const end = this.#at + 1
          return { word, start, end, problem: `\\${text[end] ?? ''} is no escape of unit files` }
        }
        word += escaped
      } else if ((char === '$' && this.#hasVariables) || char === '%') {
        const found = /^(?:\$\$|%%|\$\{[^}\s]*\}|\$\w+|%.)/.exec(text.slice(this.#at))?.[0] ?? char
        if (found === '$$' || found === '%%') word += char
        else {
          if (found.length > 1) unknown ??= found
          word += found
        }
        this.#at += found.length - 1
      } else word += char
    }
    const end = this.#at
    if (quote !== '') return { word, start, end, problem: `the quote ${quote} is not closed` }
    return { word, start, end, ...(unknown && { unknown }) }
  }

  /** The character that an escape stands for; the reader is at its last letter then. */
  #escape(): string | undefined {
    const rest = this.#text.slice(this.#at + 1, this.#at + 10)
    const coded = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3}))/.exec(rest)
    if (coded !== null) {
      const [all, ...digits] = coded
      const code = Number.parseInt(digits.find((one) => one) ?? '0', digits[3] ? 8 : 16)
      if (code === 0 || code > 0x10ffff) return undefined
      this.#at += all.length
      return String.fromCodePoint(code)
    }
    const simple = escapes[rest[0] ?? '']
    if (simple !== undefined) this.#at++
    return simple
  }
}
