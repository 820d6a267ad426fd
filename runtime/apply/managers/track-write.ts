/** What a write other than an apply does to the managers: it takes what it changes, and never conflicts (A4.63). */
import { runToCompletion, type Steps, wholeSlice } from '../../kernel/async/slices.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { difference, type FieldSet, isEmpty, setOfFields, union } from '../field-set/field-set.ts'
import { isUnidentified } from '../field-set/path-element.ts'
import { type Comparison, changedFields, isSame } from '../typed/compare.ts'
import { capManagers } from './cap-managers.ts'
import { isSameManager, type Manager, type Managers } from './managers.ts'
import { comparisonsOf, type VersionViews } from './versioned-views.ts'

/** The manager of a write: its name, the version that it writes in, the subresource that it writes through. */
export interface FieldWriter {
  readonly manager: string
  readonly apiVersion: string
  readonly subresource?: string
}

/** Fields without a manager, because only the server decides what they are (supplement A-07). */
export const unmanagedFields = setOfFields([
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.creationTimestamp',
  'metadata.generation',
  'metadata.resourceVersion',
  'metadata.managedFields',
  'metadata.selfLink',
])

/** True if a set names an item of a list by a key that the item does not have. */
function hasUnidentified(fields: FieldSet): boolean {
  for (const element in fields) {
    if (isUnidentified(element) || hasUnidentified(fields[element] as FieldSet)) return true
  }
  return false
}

/**
 * The managers after a write made `after` of `before`: every changed field is the writer's alone, a field that is gone
 * has no manager, everything else stays as it was. `now` becomes the writer's time if it changed something. None are left
 * where an item of a list lacks its key: what is managed of it could not be named.
 */
export function trackWrite(
  managers: Managers,
  before: JsonObject,
  after: JsonObject,
  writer: FieldWriter,
  views: VersionViews,
  now: string,
): Managers {
  return runToCompletion(trackSteps(managers, { before, after, writer, views, now }))
}

/** A write: what it made of what, by whom, and when. */
export interface TrackedWrite {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly writer: FieldWriter
  readonly views: VersionViews
  readonly now: string
  /** Each part of the work takes long. */
  readonly large?: boolean
}

/** `trackWrite`, with a pause after each part of the work where it takes long. */
export function* trackSteps(
  managers: Managers,
  { before, after, writer, views, now, large }: TrackedWrite,
): Steps<Managers> {
  if (large) yield wholeSlice
  const comparisons = yield* comparisonsOf(before, after, views, writer.apiVersion)
  const own = comparisons(writer.apiVersion)
  if (own !== undefined && isSame(own) && managers.every((one) => views(one.apiVersion))) {
    return managers
  }
  if (large) yield wholeSlice
  const rest = withoutChanged(managers, (one) => comparisons(one.apiVersion))
  const taken = own === undefined ? {} : difference(changedFields(own), unmanagedFields)
  if (isEmpty(taken)) return rest
  if (hasUnidentified(taken)) return []
  if (large) yield wholeSlice
  const entry = { ...writer, operation: 'Update' as const }
  const previous = managers.find((one) => isSameManager(one, entry))
  const left = rest.find((one) => isSameManager(one, entry))
  const fields = union(left?.fields ?? {}, taken)
  const others = rest.filter((one) => one !== left)
  return capManagers([...others, { ...previous, ...entry, time: now, fields }])
}

/** The managers without the fields that changed or went. A manager whose version is not served any more is dropped. */
export function withoutChanged(
  managers: Managers,
  comparisonFor: (manager: Manager) => Comparison | undefined,
): Managers {
  const lost = new Map<Comparison, FieldSet>()
  return managers.flatMap((manager) => {
    const comparison = comparisonFor(manager)
    if (comparison === undefined) return []
    const gone = lost.get(comparison) ?? union(changedFields(comparison), comparison.removed)
    lost.set(comparison, gone)
    const kept = difference(manager.fields, gone)
    if (kept === manager.fields) return [manager]
    return isEmpty(kept) ? [] : [{ ...manager, fields: kept }]
  })
}
