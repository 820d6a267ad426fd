import type { Option, OptionTable } from '../../kernel/options/option-table.ts'
import { nearestName } from '../../kernel/values/spelling.ts'
import { initialValue, parseFlagValue } from './flag-values.ts'
import { type CommandLine, Options, type Setting } from './options.ts'

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Parses `argv`, without the name of the program, by `table`. A flag that is not given has the value of its environment
 * variable, if the table names one that is set. Never throws: mistakes are in `errors`.
 */
export function parseOptions(
  table: OptionTable,
  argv: readonly string[],
  environment: Environment = {},
): CommandLine {
  return new Reader(table, argv, environment).read()
}

/** The value of a flag that is given without one; undefined for types that need one. */
function bareValue({ type }: Option): string | undefined {
  return type === 'bool' || type === 'word' ? 'true' : undefined
}

/** Parses one command line. */
class Reader {
  readonly #byName = new Map<string, Option>()
  readonly #byLetter = new Map<string, Option>()
  readonly #settings = new Map<string, Setting>()
  readonly #rest: string[]
  readonly #args: string[] = []
  readonly #warnings = new Set<string>()
  readonly #errors: string[] = []

  constructor(table: OptionTable, argv: readonly string[], environment: Environment) {
    this.#rest = [...argv]
    for (const option of table.sections.flatMap((section) => section.options)) {
      this.#byName.set(option.flag, option)
      if (option.shorthand !== undefined) this.#byLetter.set(option.shorthand, option)
      const value = initialValue(option)
      this.#settings.set(option.flag, { type: option.type, value, origin: 'default' })
      this.#environment(option, environment)
    }
  }

  /** Words are taken one by one; `--` makes all that follow arguments. */
  read(): CommandLine {
    for (let word = this.#rest.shift(); word !== undefined; word = this.#rest.shift()) {
      if (word === '--') {
        this.#args.push(...this.#rest.splice(0))
      } else if (word.startsWith('--')) {
        this.#long(word.slice(2))
      } else if (word.startsWith('-') && word !== '-') {
        this.#letters(word)
      } else {
        this.#args.push(word)
      }
    }
    return {
      options: new Options(this.#settings),
      args: this.#args,
      warnings: [...this.#warnings],
      errors: this.#errors,
    }
  }

  /** `--flag`, `--flag=value` or `--flag value`. Underscores in a name count as hyphens. */
  #long(word: string): void {
    const equals = word.indexOf('=')
    const given = equals === -1 ? word : word.slice(0, equals)
    if (given === '' || given.startsWith('-')) {
      this.#errors.push(`bad flag syntax: --${word}`)
      return
    }
    const option = this.#find(given.replaceAll('_', '-'))
    if (option === undefined) {
      this.#unknown(given)
    } else if (equals !== -1) {
      this.#set(option, word.slice(equals + 1))
    } else {
      this.#setBare(option, `--${given}`)
    }
  }

  /** A flag without `=`: a switch is true, any other flag takes the next word. */
  #setBare(option: Option, shown: string): void {
    const value = bareValue(option) ?? this.#rest.shift()
    if (value === undefined) this.#errors.push(`flag needs an argument: ${shown}`)
    else this.#set(option, value)
  }

  /** The option of a name. An option whose name begins with `<vendor>` stands for one of each vendor. */
  #find(name: string): Option | undefined {
    const exact = name.startsWith('<') ? undefined : this.#byName.get(name)
    if (exact !== undefined) return exact
    for (const [flag, option] of this.#byName) {
      if (flag.startsWith('<vendor>') && name.length > 8 && name.endsWith(flag.slice(8))) {
        if (/^[a-z][a-z0-9]*$/.test(name.slice(0, 8 - flag.length))) return option
      }
    }
    return undefined
  }

  /** An empty variable counts as not set. */
  #environment(option: Option, environment: Environment): void {
    const { environment: name, type, flag } = option
    const text = name === undefined ? undefined : environment[name]
    if (text === undefined || text === '') return
    const { value, error } = parseFlagValue(option, text)
    if (value !== undefined) this.#settings.set(flag, { type, value, origin: 'environment' })
    else this.#errors.push(`invalid value ${JSON.stringify(text)} of ${name}: ${error}`)
  }

  /** The error for an unknown flag, with the most similar known one. */
  #unknown(given: string): void {
    const names = [...this.#byName.keys()].filter((name) => !name.startsWith('<'))
    const near = nearestName(given.replaceAll('_', '-'), names)
    const hint = near === undefined ? '' : `, did you mean --${near}?`
    this.#errors.push(`unknown flag: --${given}${hint}`)
  }

  /** `-abc` is `-a -b -c` as long as the letters are switches; the first one that needs a value takes the rest of the word. */
  #letters(word: string): void {
    for (let at = 1; at < word.length; at++) {
      const letter = word[at]!
      const rest = word.slice(at + 1)
      const option = this.#byLetter.get(letter)
      if (option === undefined) {
        this.#errors.push(`unknown shorthand flag: '${letter}' in ${word}`)
        return
      }
      if (bareValue(option) === undefined || (rest.length > 1 && rest.startsWith('='))) {
        this.#setLetter(option, rest, `'${letter}' in ${word}`)
        return
      }
      this.#setBare(option, letter)
    }
  }

  /** `-v4`, `-v=4` or `-v 4`. */
  #setLetter(option: Option, rest: string, shown: string): void {
    if (rest.length > 1 && rest.startsWith('=')) this.#set(option, rest.slice(1))
    else if (rest !== '') this.#set(option, rest)
    else this.#setBare(option, shown)
  }

  /** Sets an option. Lists and maps grow over several occurrences; warnings are given once. */
  #set(option: Option, text: string): void {
    const { flag, shorthand, type, deprecated } = option
    const known = this.#settings.get(flag)
    const before = known?.origin === 'flag' ? known.value : undefined
    const { value, error } = parseFlagValue(option, text, before)
    if (deprecated !== undefined) {
      this.#warnings.add(`flag --${flag} has been deprecated, ${deprecated}`)
    }
    if (error !== undefined) {
      const shown = shorthand === undefined ? `--${flag}` : `-${shorthand}, --${flag}`
      this.#errors.push(`invalid argument ${JSON.stringify(text)} for "${shown}" flag: ${error}`)
      return
    }
    this.#settings.set(flag, { type, value, origin: 'flag' })
  }
}
