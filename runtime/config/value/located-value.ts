/** Values of a configuration in which each part has the location where it was set. */

import { define } from '../../kernel/values/define-property.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { LocatedEntry, LocatedValue } from '../../serializer/serializer.ts'

export { followPath } from '../../serializer/serializer.ts'

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
