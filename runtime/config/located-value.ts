/** Values of a configuration that know where each of their parts came from. */

import { define } from '../kernel/validation/readers.ts'
import type { Json, JsonObject } from '../kernel/values/json.ts'
import type { LocatedEntry, LocatedValue } from '../serializer/serializer.ts'
import type { OptionOrigin } from './flags/options.ts'

/** Where a value came from: `text` is what a person reads, such as `orchlet.yaml:4:3` or `--max-pods`. */
export interface ValueLocation {
  readonly origin: OptionOrigin
  readonly text: string
  /** Set for a place in a text. */
  readonly spot?: { readonly file: string; readonly line: number; readonly column: number }
}

export type ConfigValue = LocatedValue<ValueLocation>
export type ConfigEntry = LocatedEntry<ValueLocation>
export type ConfigMapping = ConfigValue & { readonly is: 'map' }

/** A value that came from one place as a whole. */
export function withLocation(value: Json, at: ValueLocation): ConfigValue {
  if (Array.isArray(value))
    return { is: 'list', items: value.map((item) => withLocation(item, at)), at }
  if (typeof value !== 'object' || value === null) return { is: 'scalar', value, at }
  const entries = Object.entries(value as JsonObject).map(([key, each]) => ({
    key,
    keyAt: at,
    value: withLocation(each ?? null, at),
  }))
  return { is: 'map', entries, at }
}

/** The value without its places. */
export function toPlainValue(node: ConfigValue): Json {
  switch (node.is) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(toPlainValue)
    case 'map': {
      const result: Record<string, Json> = {}
      for (const { key, value } of node.entries) define(result, key, toPlainValue(value))
      return result
    }
  }
}

/** The entry of a map; undefined if there is none, or a null, which says nothing. */
export function entryOf(node: ConfigValue | undefined, key: string): ConfigEntry | undefined {
  const found = node?.is === 'map' ? node.entries.find((each) => each.key === key) : undefined
  const silent = found?.value.is === 'scalar' && found.value.value === null
  return silent ? undefined : found
}

/** Where a path of a reader's report leads: as far as it goes, so that what is missing has the place of its parent. */
export interface PathMatch {
  readonly node: ConfigValue
  /** The entry, if the path ends in one. */
  readonly entry?: ConfigEntry
  /** True if the path leads to its end. */
  readonly complete: boolean
}

/** Follows a path such as `a.b[0].c` or `limits[memory]`. Keys may hold dots and brackets: the longest one counts. */
export function followPath(node: ConfigValue, path: string, entry?: ConfigEntry): PathMatch {
  const here = { node, ...(entry === undefined ? {} : { entry }) }
  if (path === '') return { ...here, complete: true }
  if (node.is === 'list') {
    const [step = '', index = ''] = /^\[([0-9]{1,9})\]/.exec(path) ?? []
    const item = step === '' ? undefined : node.items[Number(index)]
    return item === undefined
      ? { ...here, complete: false }
      : followPath(item, path.slice(step.length).replace(/^\./, ''))
  }
  if (node.is === 'scalar') return { ...here, complete: false }
  const step = stepAt(path, entriesOf(node))
  if (step === undefined) return { ...here, complete: false }
  return followPath(step.entry.value, step.rest, step.entry)
}

const indexes = new WeakMap<ConfigMapping, ReadonlyMap<string, ConfigEntry>>()

/** The entries by key; a map with many findings is looked into as often. */
function entriesOf(node: ConfigMapping): ReadonlyMap<string, ConfigEntry> {
  const known = indexes.get(node)
  if (known !== undefined) return known
  const index = new Map(node.entries.map((entry) => [entry.key, entry]))
  indexes.set(node, index)
  return index
}

/** The entry that a path begins with, as a name or in brackets, and what follows after it. */
function stepAt(
  path: string,
  entries: ReadonlyMap<string, ConfigEntry>,
): { readonly entry: ConfigEntry; readonly rest: string } | undefined {
  for (let end = path.length; end > 0; end--) {
    const next = path[end]
    if (next !== undefined && next !== '.' && next !== '[') continue
    const word = path.slice(0, end)
    const entry = entries.get(word) ?? entries.get(/^\[(.*)\]$/s.exec(word)?.[1] ?? word)
    if (entry !== undefined) return { entry, rest: path.slice(end + (next === '.' ? 1 : 0)) }
  }
  return undefined
}
