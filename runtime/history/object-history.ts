import { difference, type FieldSet, isEmpty } from '../apply/apply.ts'
import type { Key, Resource } from '../client/client.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import { type ChangedValue, changedValues } from '../reconcile/reconcile.ts'
import { type FieldsEntry, fieldsEntries } from './fields-entries.ts'
import {
  before,
  keptAt,
  latestOf,
  numberOf,
  objectAt,
  oldestKept,
  wholeKey,
} from './past-objects.ts'

/** One version of an object, and how it came to be. */
export interface ObjectRevision<T extends ApiObject = ApiObject> {
  /** Its resourceVersion; of a deletion, the revision at which the object was gone. */
  readonly revision: string
  /** `kept`: what was before it is compacted, so that it is not known how it came to be. */
  readonly is: 'created' | 'updated' | 'deleted' | 'kept'
  /** When, as the managers that wrote it say; undefined where none of them does. */
  readonly at: string | undefined
  /** Who wrote it, as managed fields say. */
  readonly managers: readonly string[]
  /** Of an update: what it changed. */
  readonly changes: readonly ChangedValue[]
  /** The object of this version; of a deletion, the last one. */
  readonly object: Stored<T>
}

/** The versions of an object, the latest first. */
export interface ObjectHistory<T extends ApiObject = ApiObject> {
  readonly revisions: readonly ObjectRevision<T>[]
  /** The oldest revision that the server keeps, if it has forgotten what was before the last one here. */
  readonly oldestKept: string | undefined
}

/** So many fields of an update are named. */
const most = 1000

/**
 * What became of an object, as far as the server keeps revisions, or `limit` versions of it. Reads once for each version.
 *
 * @throws StatusError `NotFound` if no revision that is kept has the object.
 */
export async function objectHistory<T extends ApiObject>(
  resource: Resource<T>,
  named: Key,
  { limit = Number.POSITIVE_INFINITY, signal }: HistoryOptions = {},
): Promise<ObjectHistory<T>> {
  const key = await wholeKey(resource, named, signal)
  const revisions: ObjectRevision<T>[] = []
  let version = await newest(resource, key, signal)
  while (true) {
    const { object, deletedAt } = version
    if (deletedAt !== undefined) revisions.push(deletion(object, deletedAt))
    if (revisions.length >= limit) break
    const { resourceVersion } = object.metadata
    const older = await keptAt(async () => ({
      object: await objectAt(resource, key, before(resourceVersion), signal),
    }))
    if (older === undefined) {
      revisions.push({ ...revisionOf(object, undefined), is: 'kept' })
      const known = deletedAt === undefined ? resourceVersion : before(deletedAt)
      return { revisions, oldestKept: await keptSince(resource, key, known, signal) }
    }
    const same = older.object?.metadata.uid === object.metadata.uid
    revisions.push(revisionOf(object, same ? older.object : undefined))
    if (older.object === undefined || revisions.length >= limit) break
    const replaced = same ? {} : { deletedAt: resourceVersion }
    version = { object: older.object, ...replaced }
  }
  return { revisions: revisions.slice(0, limit), oldestKept: undefined }
}

/** Milliseconds after which a server is believed that does not end a watch of a second: its clock may stand. */
const standstillMs = 10_000

/** How much of a history is read. */
export interface HistoryOptions {
  /** Versions at most. Default: all that are kept. */
  readonly limit?: number
  readonly signal?: AbortSignal | undefined
}

/** The version of a history that was there at a time; undefined if all that are kept are later. */
export function revisionAt<T extends ApiObject>(
  { revisions }: ObjectHistory<T>,
  time: number,
): ObjectRevision<T> | undefined {
  return revisions.find(({ at }) => at !== undefined && Date.parse(at) <= time)
}

interface Version<T extends ApiObject> {
  readonly object: Stored<T>
  /** The revision at which it was gone. */
  readonly deletedAt?: string
}

/** The latest version of an object, or the last one before it went. */
async function newest<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  signal: AbortSignal | undefined,
): Promise<Version<T>> {
  const { object, revision } = await latestOf(resource, key, signal)
  if (object !== undefined) return { object }
  const oldest = await oldestKept(resource, key, revision, signal)
  const gone =
    (await deletedSince(resource, key, oldest, signal)) ??
    (await lostBetween(resource, key, oldest, revision, signal))
  if (gone !== undefined) return gone
  const what = `${resource.kind.kind} "${key.name}"`
  throw new StatusError(
    'NotFound',
    `${what} is not there, and no revision since ${oldest} has it: that is the oldest that the server keeps`,
  )
}

/** The last deletion that a watch from a revision tells of; undefined if it tells of none, or does not reach back so far. */
async function deletedSince<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<Version<T> | undefined> {
  const collection = key.namespace === undefined ? resource : resource.in(key.namespace)
  const fieldSelector = `metadata.name=${key.name}`
  const options = { fieldSelector, resourceVersion: revision, timeoutSeconds: 1 }
  const late = AbortSignal.timeout(standstillMs)
  const ended = signal === undefined ? late : AbortSignal.any([signal, late])
  return keptAt(async () => {
    let last: Version<T> | undefined
    for await (const { type, object } of collection.watch(options, ended)) {
      if (type !== 'DELETED') continue
      const deletedAt = object.metadata.resourceVersion
      const found = await objectAt(resource, key, before(deletedAt), signal)
      if (found !== undefined) last = { object: found, deletedAt }
    }
    return last
  })
}

/** The deletion of an object that was there at the first of two revisions and is not at the second. */
async function lostBetween<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  first: string,
  second: string,
  signal: AbortSignal | undefined,
): Promise<Version<T> | undefined> {
  let object = await keptAt(() => objectAt(resource, key, first, signal))
  if (object === undefined) return undefined
  let [there, gone] = [numberOf(first), numberOf(second)]
  while (gone - there > 1n) {
    const middle = (there + gone) / 2n
    const found = await objectAt(resource, key, String(middle), signal)
    if (found === undefined) gone = middle
    else [there, object] = [middle, found]
  }
  return { object, deletedAt: String(gone) }
}

function keptSince<T extends ApiObject>(
  resource: Resource<T>,
  key: Key,
  known: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  return keptAt(async () => {
    await objectAt(resource, key, known, signal)
    return oldestKept(resource, key, known, signal)
  }).then(async (oldest) => {
    if (oldest !== undefined) return oldest
    const { revision } = await latestOf(resource, key, signal)
    return oldestKept(resource, key, revision, signal)
  })
}

function deletion<T extends ApiObject>(object: Stored<T>, revision: string): ObjectRevision<T> {
  const at = object.metadata.deletionTimestamp
  return { revision, is: 'deleted', at, managers: [], changes: [], object }
}

function revisionOf<T extends ApiObject>(
  object: Stored<T>,
  older: Stored<T> | undefined,
): ObjectRevision<T> {
  const { resourceVersion, creationTimestamp } = object.metadata
  const entries = fieldsEntries(object)
  const known = older === undefined ? [] : fieldsEntries(older)
  const changes = older === undefined ? [] : changedValues(older, object, most)
  const changed = entries.filter((one) => !known.some((old) => deepEqual(old, one)))
  const gained = changed.filter((one) => !known.some((old) => hasOnlyLost(old, one)))
  const named = new Set(changes.flatMap(({ managers }) => managers))
  const byField = entries.filter(({ manager }) => named.has(manager))
  const written = [gained, changed, byField].find((some) => some.length > 0) ?? []
  const at = older === undefined ? creationTimestamp : latestTime(written)
  return {
    revision: resourceVersion,
    is: older === undefined ? 'created' : 'updated',
    at,
    managers: [...new Set(written.map(({ manager }) => manager))],
    changes,
    object,
  }
}

/** True for what a manager has left after another one took fields of it: it wrote nothing itself. */
function hasOnlyLost(old: FieldsEntry, one: FieldsEntry): boolean {
  const { fieldsV1: before, ...rest } = old
  const { fieldsV1: after, ...same } = one
  const lost = difference((after ?? {}) as FieldSet, (before ?? {}) as FieldSet)
  return deepEqual(rest, same) && isEmpty(lost)
}

/** The latest of the times at which managers wrote. */
function latestTime(entries: readonly FieldsEntry[]): string | undefined {
  return entries
    .flatMap(({ time }) => (time === undefined ? [] : [time]))
    .sort()
    .at(-1)
}
