/** The number of writers that one object remembers is bounded. */
import { union } from '../field-set/field-set.ts'
import { compareText, isSameManager, type Manager, type Managers } from './managers.ts'

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
  let result = [...managers]
  let count = writers.length
  const first = new Map<string, Manager>()
  for (const writer of oldest) {
    if (count <= maxWriters) break
    const known = first.get(writer.apiVersion)
    if (known === undefined) first.set(writer.apiVersion, writer)
    else {
      const bucket = mergeManagers(known, writer)
      result = result.filter(
        (one) => one !== known && one !== writer && !isSameManager(one, bucket),
      )
      result.push(bucket)
      first.set(writer.apiVersion, bucket)
      count--
    }
  }
  return result
}

/** One manager with the fields of both and the time of the newer one. */
function mergeManagers(older: Manager, newer: Manager): Manager {
  return {
    manager: ancientChanges,
    operation: 'Update',
    apiVersion: newer.apiVersion,
    ...(newer.time && { time: newer.time }),
    fields: union(older.fields, newer.fields),
  }
}
