import type { LocatedEntry, LocatedValue } from './located.ts'

/** Where a path leads, or how far: what is missing has the location of the closest parent that is there. */
export interface PathMatch<Place> {
  /** The value at the path, or of the closest parent that is there. */
  readonly node: LocatedValue<Place>
  /** The entry, if the path ends at one. */
  readonly entry?: LocatedEntry<Place>
  /** True if everything on the path is there. */
  readonly complete: boolean
}

/**
 * Follows a path of a report, such as `a.b[0].c` or `limits[memory]`. Keys may contain dots and brackets: of several keys that
 * a path may begin with, the longest one counts.
 */
export function followPath<Place>(
  node: LocatedValue<Place>,
  path: string,
  entry?: LocatedEntry<Place>,
): PathMatch<Place> {
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

/** The value at keys and indexes of the value that was read from a text; or the closest parent that is there. */
export function followSteps<Place>(
  root: LocatedValue<Place>,
  steps: readonly (string | number)[],
): LocatedValue<Place> {
  let node = root
  for (const step of steps) {
    const next = childAt(node, step)
    if (next === undefined) return node
    node = next
  }
  return node
}

function childAt<Place>(node: LocatedValue<Place>, step: string | number) {
  if (node.is === 'list') return node.items[Number(step)]
  if (node.is === 'map') return node.entries.find(({ key }) => key === step)?.value
  return undefined
}

type LocatedMap<Place> = LocatedValue<Place> & { readonly is: 'map' }

const indexes = new WeakMap<object, ReadonlyMap<string, unknown>>()

/** The entries of a map by key, kept for maps with many findings. */
function entriesOf<Place>(node: LocatedMap<Place>): ReadonlyMap<string, LocatedEntry<Place>> {
  const known = indexes.get(node) as ReadonlyMap<string, LocatedEntry<Place>> | undefined
  if (known !== undefined) return known
  const index = new Map(node.entries.map((entry) => [entry.key, entry]))
  indexes.set(node, index)
  return index
}

/** The entry that a path begins with, as a name or in brackets, and the rest of the path. */
function stepAt<Place>(
  path: string,
  entries: ReadonlyMap<string, LocatedEntry<Place>>,
): { readonly entry: LocatedEntry<Place>; readonly rest: string } | undefined {
  for (let end = path.length; end > 0; end--) {
    const next = path[end]
    if (next !== undefined && next !== '.' && next !== '[') continue
    const word = path.slice(0, end)
    const entry = entries.get(word) ?? entries.get(/^\[(.*)\]$/s.exec(word)?.[1] ?? word)
    if (entry !== undefined) return { entry, rest: path.slice(end + (next === '.' ? 1 : 0)) }
  }
  return undefined
}
