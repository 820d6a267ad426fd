/** Values of a configuration that know where each of their parts came from. */
import type { Located, LocatedEntry } from '../codec/codec.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import { define } from '../kernel/reading.ts'
import type { Origin } from './options.ts'

/** Where a value came from: `text` is what a person reads, such as `orchlet.yaml:4:3` or `--max-pods`. */
export interface Place {
  readonly origin: Origin
  readonly text: string
  /** Set for a place in a text. */
  readonly spot?: { readonly file: string; readonly line: number; readonly column: number }
}

export type Placed = Located<Place>
export type PlacedEntry = LocatedEntry<Place>
export type PlacedMap = Placed & { readonly is: 'map' }

/** A value that came from one place as a whole. */
export function placed(value: Json, at: Place): Placed {
  if (Array.isArray(value)) return { is: 'list', items: value.map((item) => placed(item, at)), at }
  if (typeof value !== 'object' || value === null) return { is: 'scalar', value, at }
  const entries = Object.entries(value as JsonObject).map(([key, each]) => ({
    key,
    keyAt: at,
    value: placed(each ?? null, at),
  }))
  return { is: 'map', entries, at }
}

/** The value without its places. */
export function plainOf(node: Placed): Json {
  switch (node.is) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(plainOf)
    case 'map': {
      const result: Record<string, Json> = {}
      for (const { key, value } of node.entries) define(result, key, plainOf(value))
      return result
    }
  }
}

/** The entry of a map; undefined if there is none, or a null, which says nothing. */
export function entryOf(node: Placed | undefined, key: string): PlacedEntry | undefined {
  const found = node?.is === 'map' ? node.entries.find((each) => each.key === key) : undefined
  const silent = found?.value.is === 'scalar' && found.value.value === null
  return silent ? undefined : found
}

/** Where a path of a reader's report leads: as far as it goes, so that what is missing has the place of its parent. */
export interface Found {
  readonly node: Placed
  /** The entry, if the path ends in one. */
  readonly entry?: PlacedEntry
  /** True if the path leads to its end. */
  readonly whole: boolean
}

/** Follows a path such as `a.b[0].c` or `limits[memory]`. Keys may hold dots and brackets: the longest one counts. */
export function follow(node: Placed, path: string, entry?: PlacedEntry): Found {
  const here = { node, ...(entry === undefined ? {} : { entry }) }
  if (path === '') return { ...here, whole: true }
  if (node.is === 'list') {
    const [step = '', index = ''] = /^\[([0-9]{1,9})\]/.exec(path) ?? []
    const item = step === '' ? undefined : node.items[Number(index)]
    return item === undefined
      ? { ...here, whole: false }
      : follow(item, path.slice(step.length).replace(/^\./, ''))
  }
  if (node.is === 'scalar') return { ...here, whole: false }
  const step = stepAt(path, entriesOf(node))
  if (step === undefined) return { ...here, whole: false }
  return follow(step.entry.value, step.rest, step.entry)
}

const indexes = new WeakMap<PlacedMap, ReadonlyMap<string, PlacedEntry>>()

/** The entries by key; a map with many findings is looked into as often. */
function entriesOf(node: PlacedMap): ReadonlyMap<string, PlacedEntry> {
  const known = indexes.get(node)
  if (known !== undefined) return known
  const index = new Map(node.entries.map((entry) => [entry.key, entry]))
  indexes.set(node, index)
  return index
}

/** The entry that a path begins with, as a name or in brackets, and what follows after it. */
function stepAt(
  path: string,
  entries: ReadonlyMap<string, PlacedEntry>,
): { readonly entry: PlacedEntry; readonly rest: string } | undefined {
  for (let end = path.length; end > 0; end--) {
    const next = path[end]
    if (next !== undefined && next !== '.' && next !== '[') continue
    const word = path.slice(0, end)
    const entry = entries.get(word) ?? entries.get(/^\[(.*)\]$/s.exec(word)?.[1] ?? word)
    if (entry !== undefined) return { entry, rest: path.slice(end + (next === '.' ? 1 : 0)) }
  }
  return undefined
}
