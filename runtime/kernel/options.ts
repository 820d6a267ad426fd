/**
 * The options of a daemon as generated from `schemas/flags/<daemon>.yaml`: facts only. `runtime/config` parses a command
 * line by such a table and prints its help.
 */
export type OptionType =
  | 'bool'
  | 'int'
  | 'int32'
  | 'int64'
  | 'float'
  | 'string'
  | 'duration'
  | 'quantity'
  | 'strings'
  | 'stringToString'
  | 'stringArray'

/** One flag. `default` is written as a person would write it on the command line, lists as lists and maps as maps. */
export interface Option {
  /** The name without hyphens before it: `bind-address`. */
  readonly flag: string
  /** One letter: `v` of `-v`. */
  readonly shorthand?: string
  readonly type: OptionType
  readonly default?: unknown
  /** The only values that a string may have. */
  readonly values?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  /** What to use instead: the flag still works and says so. */
  readonly deprecated?: string
  /** Left out of the help. */
  readonly hidden?: boolean
  /** A word in backquotes names the value in the help. */
  readonly description: string
}

export interface OptionSection {
  readonly name: string
  readonly options: readonly Option[]
}

/** Every flag of one program, in the sections that its help prints. */
export interface OptionTable {
  readonly daemon: string
  readonly description: string
  readonly sections: readonly OptionSection[]
}
