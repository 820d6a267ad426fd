/**
 * The configuration types of the daemons as generated from `schemas/config`. Generated readers check values, as for API
 * objects; these tables have the rest: descriptions, defaults, required fields, merge strategies and constraints between
 * fields. `runtime/config` loads files by them.
 */

import type { RuleTable } from '../descriptors/validation-rules.ts'
import type { ObjectReader } from '../validation/field-error.ts'
import type { SettingConstraint } from './setting-constraints.ts'

/** The kind of a configuration file. */
export interface ConfigKind {
  readonly apiVersion: string
  readonly kind: string
  readonly read: ObjectReader<unknown>
  readonly type: ConfigStruct
  /** The validation rules (CEL) that its schema states. */
  readonly validations?: RuleTable
}

/** One struct of a configuration. */
export interface ConfigStruct {
  readonly name: string
  /** The schema file that declares it: `config/agent/v1beta1.yaml`. */
  readonly declaredIn: string
  readonly description: string
  readonly constraints?: readonly SettingConstraint[]
  /** By name, in the order in which they are printed. */
  readonly fields: Readonly<Record<string, ConfigField>>
}

/** A field of a configuration. */
export interface ConfigField {
  /** The type as messages name it: `int32`, `duration`, `list of string`. */
  readonly type: string
  readonly description: string
  /** A file must have the field, whether it has a default or not. */
  readonly required?: boolean
  readonly default?: unknown
  /** The struct of the field, of the items of its list or of the values of its map. */
  readonly struct?: () => ConfigStruct
  readonly shape: 'value' | 'struct' | 'list' | 'map'
  /** How fragments merge a list. Absent: they replace it. */
  readonly list?: 'atomic' | 'set' | 'map'
  readonly keys?: readonly string[]
}
