/** Values of a configuration in which each part has the location where it was set. */

import { define } from '../../kernel/values/define-property.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { LocatedEntry, LocatedValue } from '../../serializer/serializer.ts'

/** The kinds of sources that set a value, the strongest first. */
export type OptionOrigin = 'flag' | 'environment' | 'fragment' | 'file' | 'default'

/** Where a value was set. */
export interface ValueLocation {
  /** The kind of source; a value of origin `default` counts as not set. */
  readonly origin: OptionOrigin
  /** As messages show it: `orchlet.yaml:4:3`, `--max-pods`, `$NAME` of an environment variable. */
  readonly text: string
  /** Set for a location in a text; line and column from 1. */
  readonly position?: { readonly file: string; readonly line: number; readonly column: number }
}

/** A value with locations. */
export type ConfigValue = LocatedValue<ValueLocation>
/** An entry of a map with locations. */
export type ConfigEntry = LocatedEntry<ValueLocation>
/** A map with locations. */
export type ConfigMapping = ConfigValue & { readonly is: 'map' }

/** A value that was set at one location as a whole. */
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

/** The value without locations. */
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

/** The entry of a map; undefined if there is none, or if its value is null, which counts as absent. */
export function entryOf(node: ConfigValue | undefined, key: string): ConfigEntry | undefined {
  const found = node?.is === 'map' ? node.entries.find((each) => each.key === key) : undefined
  const absent = found?.value.is === 'scalar' && found.value.value === null
  return absent ? undefined : found
}

/** Where a path leads, or how far: what is missing has the location of the closest parent that is there. */
export interface PathMatch {
  /** The value at the path, or of the closest parent that is there. */
  readonly node: ConfigValue
  /** The entry, if the path ends at one. */
  readonly entry?: ConfigEntry
  /** True if everything on the path is there. */
  readonly complete: boolean
}

/**
 * Follows a path of a report, such as `a.b[0].c` or `limits[memory]`. Keys may contain dots and brackets: of several keys that
 * a path may begin with, the longest one counts.
 */
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

/** The entries of a map by key, kept for maps with many findings. */
function entriesOf(node: ConfigMapping): ReadonlyMap<string, ConfigEntry> {
  const known = indexes.get(node)
  if (known !== undefined) return known
  const index = new Map(node.entries.map((entry) => [entry.key, entry]))
  indexes.set(node, index)
  return index
}

/** The entry that a path begins with, as a name or in brackets, and the rest of the path. */
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
