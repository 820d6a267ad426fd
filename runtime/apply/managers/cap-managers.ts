/** The number of writers that one object remembers is bounded. */
import { unionAll } from '../field-set/field-set.ts'
import { compareText, identityOf, type Manager, type Managers } from './managers.ts'

/** The most `Update` managers of one object (supplement A-09, K-11). */
export const maxWriters = 10

/** The manager that has the fields of writers beyond that number. */
export const ancientChanges = 'ancient-changes'

/**
 * The managers with at most ten writers: the oldest two of one version become one, until few enough are left. A version
 * with one old writer keeps it: merging it with nothing would save nothing.
 */
export function capManagers(managers: Managers): Managers {
  const writers = managers.filter(({ operation }) => operation === 'Update')
  if (writers.length <= maxWriters) return managers
  const oldest = [...writers].sort(
    (a, b) => compareText(a.time ?? '', b.time ?? '') || compareText(a.manager, b.manager),
  )
  const left = new Set(managers)
  const buckets = new Map<string, Manager[]>()
  let count = writers.length
  for (const writer of oldest) {
    if (count <= maxWriters) break
    const merged = buckets.get(writer.apiVersion)
    if (merged === undefined) buckets.set(writer.apiVersion, [writer])
    else {
      if (merged.length === 1) left.delete(merged[0]!)
      left.delete(writer)
      merged.push(writer)
      count--
    }
  }
  const results = [...buckets.values()].filter((merged) => merged.length > 1).map(mergeManagers)
  return [...withoutReplaced(left, results), ...results]
}

/** A bucket that was there before, and is not among the oldest, gives way to the new one. */
function withoutReplaced(left: ReadonlySet<Manager>, buckets: Managers): Managers {
  const names = new Set(buckets.map(identityOf))
  return [...left].filter((one) => !names.has(identityOf(one)))
}

/** One manager with the fields of all of them, oldest first, and the time of the newest. */
function mergeManagers(merged: readonly Manager[]): Manager {
  const { apiVersion, time } = merged.at(-1)!
  return {
    manager: ancientChanges,
    operation: 'Update',
    apiVersion,
    ...(time && { time }),
    fields: unionAll(merged.map(({ fields }) => fields)),
  }
}
