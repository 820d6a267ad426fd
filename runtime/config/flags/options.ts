import { invariant } from '../../kernel/errors/invariant.ts'
import type { OptionType } from '../../kernel/options/option-table.ts'
import type { OptionOrigin } from '../value/located-value.ts'

/** The value of an option in the form of its type: a duration is a number of milliseconds, a quantity a number of units. */
export type OptionValue =
  | boolean
  | number
  | string
  | readonly string[]
  | ReadonlyMap<string, string>

/** The value of one option. */
export interface Setting {
  readonly type: OptionType
  readonly value: OptionValue
  /** The flag, its environment variable, a file, or the default. */
  readonly origin: OptionOrigin
}

/** A parsed command line. */
export interface CommandLine {
  /** Every option of the table, with its default if it is not given. */
  readonly options: Options
  /** Arguments that are no flags. */
  readonly args: readonly string[]
  /** One for each deprecated flag that is used. */
  readonly warnings: readonly string[]
  /** One text for each mistake, in the order of the command line. */
  readonly errors: readonly string[]
}

/** The values of all options of a table. Reading a flag that is not in it, or as another type, is our own mistake and fails. */
export class Options {
  readonly #settings: ReadonlyMap<string, Setting>

  constructor(settings: ReadonlyMap<string, Setting>) {
    this.#settings = settings
  }

  /** A value of type bool. */
  boolean(flag: string): boolean {
    return this.#get(flag, ['bool']) as boolean
  }

  /** A value of a numeric type; a quantity in units. */
  number(flag: string): number {
    return this.#get(flag, ['int', 'int32', 'int64', 'float', 'quantity']) as number
  }

  /** The value of a duration. */
  milliseconds(flag: string): number {
    return this.#get(flag, ['duration']) as number
  }

  /** A value of type string or word. */
  string(flag: string): string {
    return this.#get(flag, ['string', 'word']) as string
  }

  /** A value of a list type; in the order of the command line. */
  strings(flag: string): readonly string[] {
    return this.#get(flag, ['strings', 'stringArray']) as readonly string[]
  }

  /** A value of a map type. */
  pairs(flag: string): ReadonlyMap<string, string> {
    const types: readonly OptionType[] = ['stringToString', 'stringToBool', 'patterns']
    return this.#get(flag, types) as ReadonlyMap<string, string>
  }

  /** The value, in the form of its type. */
  value(flag: string): OptionValue {
    return this.#setting(flag).value
  }

  /** Where the value was set. */
  origin(flag: string): OptionOrigin {
    return this.#setting(flag).origin
  }

  #get(flag: string, types: readonly OptionType[]): OptionValue {
    const { type, value } = this.#setting(flag)
    invariant(types.includes(type), `--${flag} is a ${type}, not a ${types[0]}`)
    return value
  }

  #setting(flag: string): Setting {
    const setting = this.#settings.get(flag)
    invariant(setting, `--${flag} is not in the table of options`)
    return setting
  }
}
