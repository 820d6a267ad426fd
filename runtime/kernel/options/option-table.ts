/**
 * The options of a daemon as generated from `schemas/flags/<daemon>.yaml`: facts only. `runtime/config` parses a command
 * line by such a table and prints its help.
 */
import type { ConfigKind } from './config-kind.ts'
import type { SettingConstraint } from './setting-constraints.ts'

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
  | 'stringToBool'
  | 'stringArray'
  /** `PATTERN=N`, comma-separated: levels of detail for files. */
  | 'patterns'
  /** A word that may be left out; the flag alone means "true". */
  | 'word'

/** How the text of a flag stands for the value of its field where their types differ. */
export type OptionFormat =
  /** `memory.available<100Mi,...` for a map. */
  | 'thresholds'
  /** `cpu=100m,memory=1Gi` for a map. */
  | 'assignments'
  /** `NAME:VALUE` for a map of lists. */
  | 'headers'
  /** `KEY=VALUE:EFFECT,...` for a list of taints. */
  | 'taints'
  /** `0:memory=1Gi;1:memory=2Gi` for a list of reservations. */
  | 'numa-memory'
  /** `PATTERN=N,...` for a list of levels of detail. */
  | 'patterns'

/** One flag. `default` is written as a person would write it on the command line, lists as lists and maps as maps. */
export interface Option {
  /** The name without hyphens before it: `bind-address`. */
  readonly flag: string
  /** One letter: `v` of `-v`. */
  readonly shorthand?: string
  readonly type: OptionType
  /** Where the flag has a `form`, in the form of the field. */
  readonly default?: unknown
  /** The field of the configuration file that the flag overrides: `Generic.Port`. */
  readonly field?: string
  readonly format?: OptionFormat
  /** The variable of the environment that counts when the flag is not given. */
  readonly environment?: string
  /** The only values that a string may have. */
  readonly values?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  /** The flag names a file: the kind of configuration in it, of whatever version the file says. */
  readonly configFileKind?: string
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
  /** The file that `--config` names. */
  readonly config?: ConfigKind
  /** Over flags that no field of the configuration stands for. */
  readonly constraints?: readonly SettingConstraint[]
  readonly sections: readonly OptionSection[]
}

/** The options of a table, in the order in which help prints them. */
export function optionsOf({ sections }: OptionTable): readonly Option[] {
  return sections.flatMap(({ options }) => options)
}
