/** Where every effective value of a configuration comes from: `orch config explain`. */
import type { ConfigField, ConfigStruct } from '../../kernel/options/config-kind.ts'
import { type Option, type OptionTable, optionsOf } from '../../kernel/options/option-table.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import { printDuration } from '../../kernel/values/duration.ts'
import { optionLocation } from '../flags/flag-overrides.ts'
import type { Options, OptionValue } from '../flags/options.ts'
import { type ConfigValue, followPath, type ValueLocation } from '../value/located-value.ts'
import type { Configuration } from './load-configuration.ts'

/** One value: `name` is the path of a field or a flag, `value` its text as one would write it, `origin` its location. */
export interface Explained {
  /** The path of a field (`authentication.anonymous.enabled`) or a flag (`--v`). */
  readonly name: string
  /** As one would write it in a file or on a command line. */
  readonly value: string
  /** The location where it was set, or the place in the schema of its default. */
  readonly origin: string
}

/** Finds where in the schema a field or a flag is declared, `file:line`; undefined if that is not known. */
export interface Locate {
  readonly field: (struct: ConfigStruct, field: string) => string | undefined
  readonly flag: (daemon: string, flag: string) => string | undefined
}

/** What every row needs to find its origin. */
interface Scope {
  /** The program, for finding its flags in the schema. */
  readonly daemon: string
  /** What was set, with locations. */
  readonly root: ConfigValue
  readonly locate: Locate
}

/** Every field in the order of the schema, then the flags that override no field. */
export function explain(
  table: OptionTable,
  { value, root, options }: Configuration,
  locate: Locate,
): readonly Explained[] {
  const scope: Scope = { daemon: table.daemon, root, locate }
  const fields = table.config === undefined ? [] : rowsOf(table.config.type, value, '', scope)
  const flags = optionsOf(table)
    .filter(({ field, flag }) => field === undefined && !['help', 'version'].includes(flag))
    .map((option) => flagRow(option, options, scope))
  return [...fields, ...flags]
}

/** The rows as lines of three columns. */
export function printExplained(rows: readonly Explained[]): string {
  const width = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(0, ...texts.map(({ length }) => length)))
  const names = width(
    rows.map(({ name }) => name),
    60,
  )
  const values = width(
    rows.map(({ value }) => value),
    40,
  )
  return rows
    .map(({ name, value, origin }) => `${name.padEnd(names)}  ${value.padEnd(values)}  ${origin}`)
    .join('\n')
}

/** The rows of a struct and, in their places, of the structs in it. */
function rowsOf(
  struct: ConfigStruct,
  value: unknown,
  path: string,
  scope: Scope,
): readonly Explained[] {
  return Object.entries(struct.fields).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`
    const part = valueAtPath(value, name)
    if (part === undefined) return []
    const of = field.struct?.()
    if (field.shape === 'struct' && of !== undefined) return rowsOf(of, part, here, scope)
    const fallback = `default (${scope.locate.field(struct, name) ?? struct.declaredIn})`
    if (field.shape === 'map') return mapRows(here, part as object, fallback, scope)
    return [{ name: here, value: valueText(part), origin: originOf(field, here, fallback, scope) }]
  })
}

/** A row for each entry: fragments and flags can add entries. */
function mapRows(
  path: string,
  value: object,
  fallback: string,
  scope: Scope,
): readonly Explained[] {
  return Object.entries(value).map(([key, each]) => {
    const { node, complete: whole } = followPath(scope.root, `${path}[${key}]`)
    const origin = whole ? originText(node.at, scope) : fallback
    return { name: `${path}[${key}]`, value: valueText(each), origin }
  })
}

/** The origin of a value; of a list that was merged from several fragments, the origins of its items. */
function originOf(field: ConfigField, path: string, fallback: string, scope: Scope): string {
  const { node, complete: whole } = followPath(scope.root, path)
  if (!whole) return fallback
  if (node.is !== 'list' || field.list === undefined) return originText(node.at, scope)
  const places = new Map(node.items.map(({ at }) => [at.position?.file ?? at.text, at.text]))
  return places.size < 2 ? originText(node.at, scope) : [...places.values()].join(', ')
}

/** A location whose origin is a default is that of a flag with a default of its own. */
function originText({ origin, text }: ValueLocation, { daemon, locate }: Scope): string {
  if (origin !== 'default') return text
  return `default (${locate.flag(daemon, text.replace(/^--/, '')) ?? text})`
}

/** The row of a flag that overrides no field. */
function flagRow(option: Option, options: Options, scope: Scope): Explained {
  return {
    name: `--${option.flag}`,
    value: flagText(option, options.value(option.flag)),
    origin: originText(optionLocation(option, options), scope),
  }
}

/** A flag's value as one would write it on the command line. */
function flagText({ type }: Option, value: OptionValue): string {
  if (type === 'duration') return printDuration(value as number)
  if (value instanceof Map) return [...value].map(([key, each]) => `${key}=${each}`).join(',')
  return Array.isArray(value) ? value.join(',') : String(value)
}

/** A plain word, or JSON for anything else. */
function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z0-9/][-A-Za-z0-9_./:%+]*$/.test(value)) return value
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
}
