/** Every effective value of a configuration with its origin. */
import type { ConfigField, ConfigStruct } from '../kernel/config.ts'
import { printDuration } from '../kernel/duration.ts'
import type { Option, OptionTable } from '../kernel/options.ts'
import { optionsIn } from './answer.ts'
import { type Configuration, valueAt } from './load.ts'
import type { Options, Value } from './options.ts'
import { placeOf } from './overlay.ts'
import { follow, type Placed } from './place.ts'

/** One value: `name` is a field's path or a flag, `value` its text as one would write it. */
export interface Explained {
  readonly name: string
  readonly value: string
  readonly origin: string
}

/** Says where in the schema a field or a flag is declared; undefined if nobody knows. */
export interface Locate {
  readonly field: (struct: ConfigStruct, field: string) => string | undefined
  readonly flag: (daemon: string, flag: string) => string | undefined
}

/** Fields in the order of the schema, then the flags that no field stands for. */
export function explain(
  table: OptionTable,
  { value, root, options }: Configuration,
  locate: Locate,
): readonly Explained[] {
  const fields =
    table.config === undefined ? [] : rowsOf(table.config.type, value, '', root, locate)
  const flags = optionsIn(table)
    .filter(({ field, flag }) => field === undefined && !['help', 'version'].includes(flag))
    .map((option) => flagRow(table, option, options, locate))
  return [...fields, ...flags]
}

/** The rows as lines, values and origins in columns. */
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

function rowsOf(
  struct: ConfigStruct,
  value: unknown,
  path: string,
  root: Placed,
  locate: Locate,
): readonly Explained[] {
  return Object.entries(struct.fields).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`
    const part = valueAt(value, name)
    if (part === undefined) return []
    const of = field.of?.()
    if (field.is === 'struct' && of !== undefined) return rowsOf(of, part, here, root, locate)
    const fallback = `default (${locate.field(struct, name) ?? struct.from})`
    if (field.is === 'map') return mapRows(here, part as object, root, fallback)
    return [{ name: here, value: textOf(part), origin: originOf(field, here, root, fallback) }]
  })
}

/** An entry each: fragments and flags add entries of their own. */
function mapRows(
  path: string,
  value: object,
  root: Placed,
  fallback: string,
): readonly Explained[] {
  return Object.entries(value).map(([key, each]) => {
    const { node, whole } = follow(root, `${path}[${key}]`)
    return { name: `${path}[${key}]`, value: textOf(each), origin: whole ? node.at.text : fallback }
  })
}

/** Where a value came from; of a list that several fragments made, where its items did. */
function originOf(field: ConfigField, path: string, root: Placed, fallback: string): string {
  const { node, whole } = follow(root, path)
  if (!whole) return fallback
  if (node.is !== 'list' || field.list === undefined) return node.at.text
  const places = new Map(node.items.map(({ at }) => [at.spot?.file ?? at.text, at.text]))
  return places.size < 2 ? node.at.text : [...places.values()].join(', ')
}

function flagRow(table: OptionTable, option: Option, options: Options, locate: Locate): Explained {
  const place = placeOf(option, options)
  const declared = locate.flag(table.daemon, option.flag)
  const fallback = declared === undefined ? 'default' : `default (${declared})`
  return {
    name: `--${option.flag}`,
    value: flagText(option, options.value(option.flag)),
    origin: place.origin === 'default' ? fallback : place.text,
  }
}

function flagText({ type }: Option, value: Value): string {
  if (type === 'duration') return printDuration(value as number)
  if (value instanceof Map) return [...value].map(([key, each]) => `${key}=${each}`).join(',')
  return Array.isArray(value) ? value.join(',') : String(value)
}

function textOf(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z0-9/][-A-Za-z0-9_./:%+]*$/.test(value)) return value
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
}
