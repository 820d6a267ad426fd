/** Flags and environment variables that override fields of the configuration file. */

import { invariant } from '../../kernel/errors/invariant.ts'
import type { ConfigField, ConfigStruct } from '../../kernel/options/config-kind.ts'
import { type Option, type OptionTable, optionsOf } from '../../kernel/options/option-table.ts'
import { define } from '../../kernel/values/define-property.ts'
import { parseDuration, printDuration } from '../../kernel/values/duration.ts'
import type { Json } from '../../kernel/values/json.ts'
import { type ConfigValue, type ValueLocation, withLocation } from '../value/located-value.ts'
import { fieldOf, merge, putAt } from '../value/merge.ts'
import { readFieldFormat } from './field-formats.ts'
import type { Options, OptionValue } from './options.ts'

/** The location of a flag's value: the flag, its environment variable, or the default. */
export function optionLocation(option: Option, options: Options): ValueLocation {
  const origin = options.origin(option.flag)
  const text = origin === 'environment' ? `$${option.environment}` : `--${option.flag}`
  return { origin, text }
}

/** A flag's value converted to the type of the field that it overrides. */
export function fieldValue(option: Option, value: OptionValue): Json {
  if (option.format !== undefined) {
    const formed = readFieldFormat(option.format, value)
    invariant(formed.value !== undefined, `--${option.flag}: ${formed.error}`)
    return formed.value
  }
  if (option.type === 'duration') return printDuration(value as number)
  if (!(value instanceof Map)) return value as Json
  const result: Record<string, Json> = {}
  for (const [key, each] of value as ReadonlyMap<string, string>) {
    define(result, key, option.type === 'stringToBool' ? each === 'true' : each)
  }
  return result
}

/** The configuration with the flags and environment variables that were set. Maps of switches merge, all else is replaced. */
export function withFlags(table: OptionTable, root: ConfigValue, options: Options): ConfigValue {
  let result = root
  for (const option of fieldOptions(table)) {
    const location = optionLocation(option, options)
    if (location.origin === 'default') continue
    const value = withLocation(fieldValue(option, options.value(option.flag)), location)
    result =
      option.type === 'stringToBool'
        ? merge(result, putAt(emptyMap(location), option.field, value), table.config!.type)
        : putAt(result, option.field, value)
  }
  return result
}

/** Defaults of flags that differ from the defaults of their fields: the flags' hold if nothing is set. */
export function flagDefaults(table: OptionTable, options: Options): ConfigValue {
  let root = emptyMap({ origin: 'default', text: 'default' })
  for (const option of fieldOptions(table)) {
    const field = fieldAt(table.config!.type, option.field)
    if (option.default === undefined || sameDefault(option.default, field?.default)) continue
    if (options.origin(option.flag) !== 'default') continue
    const location: ValueLocation = { origin: 'default', text: `--${option.flag}` }
    root = putAt(
      root,
      option.field,
      withLocation(fieldValue(option, options.value(option.flag)), location),
    )
  }
  return root
}

/** An option that overrides a field. */
type FieldOption = Option & { readonly field: string }

/** The options that override fields; a table without a configuration has none. */
function fieldOptions(table: OptionTable): readonly FieldOption[] {
  if (table.config === undefined) return []
  return optionsOf(table).filter((option): option is FieldOption => option.field !== undefined)
}

/** A configuration in which nothing is set. */
function emptyMap(at: ValueLocation): ConfigValue {
  return { is: 'map', entries: [], at }
}

/** The field at a path of names such as `Generic.Port`; undefined if there is none. */
export function fieldAt(root: ConfigStruct, path: string): ConfigField | undefined {
  let struct: ConfigStruct | undefined = root
  let field: ConfigField | undefined
  for (const step of path.split('.')) {
    field = struct && fieldOf(struct, step)
    struct = field?.struct?.()
  }
  return field
}

/** Defaults are equal if they mean the same: durations may be written in several ways. */
function sameDefault(a: unknown, b: unknown): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true
  if (typeof a !== 'string' || typeof b !== 'string') return false
  const [left, right] = [parseDuration(a), parseDuration(b)]
  return left !== undefined && left === right
}
