import { needsSlices, yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { encodeJson, withoutResourceVersion } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Item, Target, WriteOptions, WriteResult } from '../contract/contract.ts'
import { conflict, fromStoreError, invalid, isStoreError } from '../contract/errors.ts'
import { itemOf, itemOfObject } from '../storage/item.ts'
import { existingObjectKey } from '../storage/keys.ts'
import { needsRewrite } from '../storage/needs-rewrite.ts'
import { parseResourceVersion } from '../storage/resource-version.ts'
import {
  type AdmittedForm,
  beginAdmission,
  settleAdmission,
  type WriteAdmission,
} from '../strategy/admission.ts'
import { checkName, type Draft, withRequestNamespace } from '../strategy/decode.ts'
import { deletionStrategyOf } from '../strategy/deletion-strategy.ts'
import { dropManagedFieldsIfTooLarge } from '../strategy/drop-managed-fields-if-too-large.ts'
import { prepareUpdate } from '../strategy/prepare.ts'

/** Makes the wanted object of the current one. Runs again on a newer one if another write was first. */
export type UpdateFunction = (current: Item) => Draft

/**
 * Changes a stored object; undefined if it is not there. A write that lost against another is repeated on what the other
 * one left, so only a version that the request itself names can conflict.
 */
export async function guaranteedUpdate(
  context: RegistryContext,
  target: Target,
  options: WriteOptions,
  wanted: UpdateFunction,
  guise?: AdmittedForm,
): Promise<WriteResult | undefined> {
  const key = existingObjectKey(target)
  for (;;) {
    const entry = await context.store.get(key)
    if (entry === undefined) return undefined
    const way = beginAdmission(context, target, 'UPDATE', options, guise)
    const written = await settleAdmission(way?.case, () =>
      attemptUpdate(context, target, options, entry, markLarge(wanted(itemOf(entry)), entry), way),
    )
    if (written !== undefined) return written
  }
}

/** A large object is worked on in turns, however little is written of it. */
function markLarge(draft: Draft, { value }: Entry): Draft {
  return needsSlices(value.length) ? { ...draft, large: true } : draft
}

async function attemptUpdate(
  context: RegistryContext,
  target: Target,
  options: WriteOptions,
  entry: Entry,
  given: Draft,
  way: WriteAdmission | undefined,
): Promise<WriteResult | undefined> {
  const current = itemOf(entry)
  const old = current.object()
  if (given.large) await yieldToEventLoop()
  checkName(target, given.object)
  const draft = { ...given, object: withRequestNamespace(target, given.object) }
  checkPreconditions(target, options, draft.object, old)
  if (draft.unchanged) return { item: current, created: false, warnings: draft.warnings }
  const { object, ...prepared } = await prepareUpdate(
    context,
    target,
    draft,
    old,
    options.manager,
    way,
  )
  const warnings = [...prepared.warnings, ...(way?.case.warnings ?? [])]
  if (given.large) await yieldToEventLoop()
  const value = encodeJson(object)
  const stored = withoutResourceVersion(entry.value)
  if (Buffer.compare(value, stored) === 0 && !needsRewrite(entry))
    return { item: current, created: false, warnings }
  if (options.dryRun) return { item: dryRunItem(object, old), created: false, warnings }
  try {
    const item = isRemovable(target, object)
      ? await removeTerminated(context, entry, object)
      : itemOf(
          await dropManagedFieldsIfTooLarge(object, draft, (bytes) =>
            context.store.update(entry.key, entry.revision, bytes),
          ),
        )
    context.allocations?.commit(isRemovable(target, object) ? undefined : object)
    return { item, created: false, warnings }
  } catch (error) {
    if (isStoreError(error, 'Conflict') || isStoreError(error, 'NotFound')) return undefined
    throw fromStoreError(error)
  }
}

/** Version 0 asks for nothing, like none. */
function checkPreconditions(
  { kind, name = '' }: Target,
  options: WriteOptions,
  object: ApiObject,
  old: ApiObject,
): void {
  const { uid, resourceVersion } = object.metadata
  if (uid && uid !== old.metadata.uid) throw conflict(kind, name, uidMismatch(uid, old))
  const versions = [resourceVersion, options.resourceVersion].map(
    (text) => parseResourceVersion(text) || undefined,
  )
  for (const version of versions) {
    if (version !== undefined && String(version) !== old.metadata.resourceVersion) {
      throw conflict(kind, name)
    }
  }
  if (kind.unconditionalUpdate || versions.some((version) => version !== undefined)) return
  throw invalid(kind, name, [
    {
      path: 'metadata.resourceVersion',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0x0: must be specified for an update',
    },
  ])
}

/** How a failed uid precondition reads. */
export function uidMismatch(uid: string, { metadata }: ApiObject): string {
  return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`
}

/** True if a terminating object has nothing left that keeps it. */
export function isRemovable({ kind }: Pick<Target, 'kind'>, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0 &&
    finalizers.length === 0 &&
    !deletionStrategyOf(kind).held?.(object)
  )
}

async function removeTerminated(
  context: RegistryContext,
  entry: Entry,
  object: ApiObject,
): Promise<Item> {
  const { revision } = await context.store.delete(entry.key, entry.revision)
  return itemOfObject(withVersion(object, String(revision)))
}

function dryRunItem(object: ApiObject, { metadata }: ApiObject): Item {
  return itemOfObject(withVersion(object, metadata.resourceVersion ?? ''))
}

/** The object with its version where readers look for it, after the uid. */
export function withVersion(object: ApiObject, resourceVersion: string): ApiObject {
  const fields = Object.entries(object.metadata)
  const at = fields.findIndex(([name]) => name === 'uid') + 1
  const metadata = Object.fromEntries([
    ...fields.slice(0, at),
    ['resourceVersion', resourceVersion],
    ...fields.slice(at),
  ])
  return { ...object, metadata }
}
