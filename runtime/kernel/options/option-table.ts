/**
 * The options of a daemon as generated from `schemas/flags/<daemon>.yaml`. `runtime/config` parses command lines and prints
 * help by such a table.
 */
import type { ConfigKind } from './config-kind.ts'
import type { SettingConstraint } from './setting-constraints.ts'

/** The type of a flag's value. */
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
  /** A string that may be left out: the flag alone means "true". */
  | 'word'

/** How the text of a flag is converted to its field, if their types differ. */
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

/** One flag. */
export interface Option {
  /** The name without hyphens before it: `bind-address`. */
  readonly flag: string
  /** One letter: `v` of `-v`. */
  readonly shorthand?: string
  readonly type: OptionType
  /** As one would write it on the command line, lists as lists and maps as maps; with `format`, as the field's value. */
  readonly default?: unknown
  /** The field of the configuration file that the flag overrides: `Generic.Port`. */
  readonly field?: string
  readonly format?: OptionFormat
  /** The environment variable that is read if the flag is not given. */
  readonly environment?: string
  /** The only values that a string may have. */
  readonly values?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  /** The flag names a configuration file of this kind, of any version. */
  readonly configFileKind?: string
  /** What to use instead. The flag still works, with a warning. */
  readonly deprecated?: string
  /** Left out of the help. */
  readonly hidden?: boolean
  /** A word in backquotes is the name of the value in the help. */
  readonly description: string
}

/** A group of flags in the help. */
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
  /** Constraints between flags that override no field. */
  readonly constraints?: readonly SettingConstraint[]
  readonly sections: readonly OptionSection[]
}

/** The options of a table, in the order in which help prints them. */
export function optionsOf({ sections }: OptionTable): readonly Option[] {
  return sections.flatMap(({ options }) => options)
}
