/**
 * The configuration types of the daemons as generated from `schemas/config`: facts only. Readers check values as they do
 * for kinds; these tables say what readers do not: what a field is for and what it is by default, what a file must have,
 * how fragments merge, and what fields fulfil together. `runtime/config` loads files by them.
 */

import type { RuleTable } from '../descriptors/validation-rules.ts'
import type { ObjectReader } from '../validation/field-error.ts'
import type { SettingConstraint } from './setting-constraints.ts'

/** A configuration file's kind. */
export interface ConfigKind {
  readonly apiVersion: string
  readonly kind: string
  readonly read: ObjectReader<unknown>
  readonly type: ConfigStruct
  /** The rules in the expression language that its schema states. */
  readonly validations?: RuleTable
}

/** One struct of a configuration. */
export interface ConfigStruct {
  readonly name: string
  /** The schema file that declares it: `config/agent/v1beta1.yaml`. */
  readonly declaredIn: string
  readonly description: string
  readonly constraints?: readonly SettingConstraint[]
  /** In the order in which they are printed. */
  readonly fields: Readonly<Record<string, ConfigField>>
}

export interface ConfigField {
  /** What a person calls the type: `int32`, `duration`, `list of string`. */
  readonly type: string
  readonly description: string
  /** A file must say it, whether there is a default or not. */
  readonly required?: boolean
  readonly default?: unknown
  /** The struct that the field holds, or that the items of its list or the values of its map are. */
  readonly struct?: () => ConfigStruct
  readonly shape: 'value' | 'struct' | 'list' | 'map'
  /** How fragments merge a list; a list without it is replaced. */
  readonly list?: 'atomic' | 'set' | 'map'
  readonly keys?: readonly string[]
}
