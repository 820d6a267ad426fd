import type { ApiObject } from '../kernel/meta/object.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import {
  type FieldsEntry,
  fieldsEntries,
  type ManagedField,
  managedLeaves,
  managedValue,
  managesField,
  managesWithin,
} from './fields-entries.ts'
import type { ObjectHistory, ObjectRevision } from './object-history.ts'

/** A field of an object, and who set it. */
export interface BlamedField {
  /** `spec.containers[web].image`. */
  readonly path: string
  readonly value: unknown
  readonly manager: string
  /** `Apply` or `Update`. */
  readonly operation: string
  /** The subresource that it was written through, such as `status`. */
  readonly subresource: string | undefined
  /** The revision since which this manager has it with this value. */
  readonly since: string
  /** True if it may be older: what was before that revision is compacted, or was not read. */
  readonly orBefore: boolean
  /** When that was, where it is known. */
  readonly at: string | undefined
  /** The file that the manager says it was written from. */
  readonly file: string | undefined
}

/** Annotations in which tools say which file an object comes from. */
const fileAnnotations = [
  'config.kubernetes.io/origin',
  'config.kubernetes.io/path',
  'internal.config.kubernetes.io/path',
]

/** Which manager set each field of the object as its history begins, and since when. Fields that no manager has are left out. */
export function blame<T extends ApiObject>({
  revisions,
}: ObjectHistory<T>): readonly BlamedField[] {
  const [newest, ...older] = revisions.filter(({ is }) => is !== 'deleted')
  if (newest === undefined) return []
  const uid = newest.object.metadata.uid
  const line = [newest, ...older.filter(({ object }) => object.metadata.uid === uid)]
  return fieldsEntries(newest.object)
    .flatMap((entry) => {
      const file = fileOf(newest.object, entry)
      return leavesOf(newest.object, entry).map(({ path, elements }) => ({
        ...{ path, value: managedValue(newest.object, elements) },
        ...{ manager: entry.manager, operation: entry.operation, subresource: entry.subresource },
        ...{ ...sinceWhen(line, entry, elements), file },
      }))
    })
    .sort((a, b) => (`${a.path} ${a.manager}` < `${b.path} ${b.manager}` ? -1 : 1))
}

/** The deepest fields of an entry, without maps and items whose content is of others. */
function leavesOf(object: ApiObject, entry: FieldsEntry): readonly ManagedField[] {
  const all = fieldsEntries(object)
  return [...managedLeaves(entry)].filter(
    ({ elements }) => !all.some((one) => managesWithin(one, elements)),
  )
}

/** The oldest version, without a gap, in which the manager has the field with the value of today. */
function sinceWhen<T extends ApiObject>(
  line: readonly ObjectRevision<T>[],
  entry: FieldsEntry,
  elements: readonly string[],
): Pick<BlamedField, 'at' | 'orBefore' | 'since'> {
  const value = managedValue((line[0] as ObjectRevision<T>).object, elements)
  const other = line.findIndex(
    ({ object }) =>
      !deepEqual(managedValue(object, elements), value) ||
      !fieldsEntries(object).some((one) => isSame(one, entry) && managesField(one, elements)),
  )
  const first = line[(other < 0 ? line.length : other) - 1] as ObjectRevision<T>
  return { since: first.revision, at: first.at, orBefore: other < 0 && first.is !== 'created' }
}

function isSame(one: FieldsEntry, other: FieldsEntry): boolean {
  return (
    one.manager === other.manager &&
    one.operation === other.operation &&
    one.subresource === other.subresource
  )
}

/** The file that an object says it comes from, if it was this manager that wrote it there. */
function fileOf({ metadata }: ApiObject, entry: FieldsEntry): string | undefined {
  const { annotations = {} } = metadata as { readonly annotations?: Record<string, string> }
  const name = fileAnnotations.find(
    (one) =>
      Object.hasOwn(annotations, one) &&
      managesField(entry, ['f:metadata', 'f:annotations', `f:${one}`]),
  )
  if (name === undefined) return undefined
  const text = annotations[name] as string
  return /^path: *(\S+)$/m.exec(text)?.[1] ?? text.trim()
}
