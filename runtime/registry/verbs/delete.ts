import type { ApiObject } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { Json } from '../../kernel/values/json.ts'
import { encodeJson, withoutResourceVersion } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { DeleteOptions, DeleteResult, Item, ObjectTarget } from '../contract/contract.ts'
import {
  forbidden,
  fromStoreError,
  isStoreError,
  notFound,
  statusDetails,
} from '../contract/errors.ts'
import { itemAtRevision, itemOf, itemOfObject } from '../storage/item.ts'
import { existingObjectKey } from '../storage/keys.ts'
import { beginDeletionAdmission, settleAdmission, withWarnings } from '../strategy/admission.ts'
import { deletionStrategyOf, isRemovable } from '../strategy/deletion-strategy.ts'
import { markDeleted } from '../strategy/mark-deleted.ts'
import { withoutVersion, withVersion } from '../strategy/resource-versions.ts'
import { checkDeletePreconditions } from '../write/preconditions.ts'

/** A request to delete one object. */
interface DeleteRequest {
  readonly context: RegistryContext
  readonly target: ObjectTarget
  readonly options: DeleteOptions
  /** The object as this request stored it last to say that it ends: a watcher may delete it first. */
  ending?: Entry
}

/**
 * Deletes an object: at once if nothing keeps it, else in two phases, of which this is the first: the object is marked
 * and goes when the last finalizer is gone and its grace period is over.
 *
 * @throws StatusError NotFound, Conflict if a precondition fails, or as admission refuses.
 */
export function deleteObject(
  context: RegistryContext,
  target: ObjectTarget,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const warned = policyWarnings(target, options)
  return withWarnings(warned, () => deleteExisting(context, target, options, warned))
}

async function deleteExisting(
  context: RegistryContext,
  target: ObjectTarget,
  options: DeleteOptions,
  warned: readonly string[],
): Promise<DeleteResult> {
  const why = deletionStrategyOf(target.kind).refuses?.(target.name)
  if (why !== undefined) throw forbidden(target.kind, target.name, why)
  const key = existingObjectKey(target)
  const request: DeleteRequest = { context, target, options }
  for (;;) {
    const entry = await context.store.get(key)
    const { ending } = request
    if (ending !== undefined && !isSame(entry, ending)) return removed(request, ending)
    if (entry === undefined) throw notFound(target.kind, target.name)
    const admission = beginDeletionAdmission(context, target, options)
    const deleted = await settleAdmission(admission, async () => {
      const stored = itemOf(entry).object()
      checkDeletePreconditions(target, options, stored)
      await admission?.mutate(undefined, stored)
      await admission?.validate(undefined, stored)
      return removeOrMark(request, entry, stored)
    })
    if (deleted === undefined) continue
    const warnings = [...warned, ...(admission?.warnings ?? [])]
    return { ...deleted, ...(warnings.length > 0 && { warnings }) }
  }
}

/** True for two states of one object. */
function isSame(entry: Entry | undefined, other: Entry): boolean {
  const uidOf = (one: Entry) => itemOf(one).object().metadata.uid
  return entry !== undefined && uidOf(entry) === uidOf(other)
}

/** Some kinds warn that their dependents stay, unless the request says that it knows. */
export function policyWarnings(
  { kind }: Pick<ObjectTarget, 'kind'>,
  { propagationPolicy }: DeleteOptions,
): readonly string[] {
  const { deleteWarning } = kind
  return deleteWarning && !propagationPolicy ? [deleteWarning] : []
}

/** Removes the object or stores it as terminating; undefined if another write was first, and the deletion is to be tried again. */
async function removeOrMark(
  request: DeleteRequest,
  entry: Entry,
  stored: ApiObject,
): Promise<DeleteResult | undefined> {
  const { context, target, options } = request
  const marked = markDeleted(context, target, withoutVersion(stored), options)
  try {
    if (isRemovable(target.kind, marked)) {
      return await removeNow(request, await lastState(request, entry, marked))
    }
    return { item: await storeTerminating(request, entry, marked), stays: true }
  } catch (error) {
    if (isStoreError(error, 'Conflict') || isStoreError(error, 'NotFound')) return undefined
    throw fromStoreError(error)
  }
}

/** What is removed: of kinds with a grace period the object is stored once more, so that watchers see that it ends. */
async function lastState(request: DeleteRequest, entry: Entry, marked: ApiObject): Promise<Entry> {
  const { context, target, options } = request
  const { kind } = target
  if (options.dryRun || deletionStrategyOf(kind).grace === undefined) return entry
  const object = kind.read(marked as unknown as Json, createReport())
  request.ending = await context.store.update(entry.key, entry.revision, encodeJson(object))
  return request.ending
}

/** Removes the entry. A kind that returns the object returns its last state under the version of the deletion. */
async function removeNow(request: DeleteRequest, entry: Entry): Promise<DeleteResult> {
  const { context, options } = request
  const stored = itemOf(entry).object()
  const revision = options.dryRun ? entry.revision : await removeEntry(context, entry, stored)
  return removed(request, entry, revision)
}

/** What is answered once the entry is removed. */
function removed(
  { target: { kind, name } }: DeleteRequest,
  entry: Entry,
  revision = entry.revision,
): DeleteResult {
  const stored = itemOf(entry).object()
  if (kind.deleteReturns === 'Object') {
    return { item: itemAtRevision(entry, revision), stays: false }
  }
  const { uid } = stored.metadata
  return { details: { ...statusDetails(kind, name), ...(uid && { uid }) } }
}

/**
 * Values that the object had allocated are released once it is gone, not before. Returns the revision of the deletion.
 */
async function removeEntry(
  { store, allocations }: RegistryContext,
  entry: Entry,
  stored: ApiObject,
): Promise<number> {
  allocations?.expectRelease(stored)
  const { revision } = await store.delete(entry.key, entry.revision)
  allocations?.commit(undefined)
  return revision
}

/** Stores the marked object; a deletion that changes nothing, because an earlier one has marked it, is not a write. */
async function storeTerminating(
  { context: { store }, target: { kind }, options }: DeleteRequest,
  entry: Entry,
  marked: ApiObject,
): Promise<Item> {
  const object = kind.read(marked as unknown as Json, createReport())
  const value = encodeJson(object)
  if (Buffer.compare(value, withoutResourceVersion(entry.value)) === 0) return itemOf(entry)
  if (options.dryRun) return itemOfObject(withVersion(object, String(entry.revision)))
  return itemOf(await store.update(entry.key, entry.revision, value))
}
