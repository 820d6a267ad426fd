import type { AdmissionPass } from '../../admission/admission.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { ApiObject, Metadata } from '../../kernel/meta/object.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { Json } from '../../kernel/values/json.ts'
import { encodeJson, withoutResourceVersion } from '../../serializer/serializer.ts'
import type { Entry } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { DeleteOptions, DeleteResult, Item, Target } from '../contract/contract.ts'
import {
  conflict,
  fromStoreError,
  isStoreError,
  notFound,
  statusDetails,
} from '../contract/errors.ts'
import { itemAtRevision, itemOf, itemOfObject } from '../storage/item.ts'
import { existingObjectKey } from '../storage/keys.ts'
import { beginDeletionAdmission, settleAdmission } from '../strategy/admission.ts'
import { type DeletionStrategy, deletionStrategyOf } from '../strategy/deletion-strategy.ts'
import { withoutVersion } from '../strategy/prepare.ts'
import { isRemovable, uidMismatch, withVersion } from './guaranteed-update.ts'

/**
 * Deletes an object: at once if nothing keeps it, else in two phases, of which this is the first: the object is marked
 * and goes when the last finalizer is gone and its grace period is over.
 */
export async function deleteObject(
  context: RegistryContext,
  target: Target,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const name = target.name ?? ''
  const key = existingObjectKey(target)
  for (;;) {
    const entry = await context.store.get(key)
    if (entry === undefined) throw notFound(target.kind, name)
    const begun = beginDeletionAdmission(context, target, options)
    const deleted = await settleAdmission(begun, () =>
      attemptDelete(context, target, options, entry, begun),
    )
    if (deleted === undefined) continue
    const warnings = [...deleteWarnings(target, options), ...(begun?.warnings ?? [])]
    return { ...deleted, ...(warnings.length > 0 && { warnings }) }
  }
}

function deleteWarnings({ kind }: Target, { propagationPolicy }: DeleteOptions): readonly string[] {
  const { deleteWarning } = kind
  return deleteWarning && !propagationPolicy ? [deleteWarning] : []
}

async function attemptDelete(
  context: RegistryContext,
  target: Target,
  options: DeleteOptions,
  entry: Entry,
  begun: AdmissionPass | undefined,
): Promise<DeleteResult | undefined> {
  const current = itemOf(entry).object()
  checkPreconditions(target, options, current)
  const rule = deletionStrategyOf(target.kind)
  await begun?.mutate(undefined, current)
  await begun?.validate(undefined, current)
  const marked = markDeleted(context, target, rule, withoutVersion(current), options)
  try {
    if (isRemovable(target, marked)) return await removeNow(context, target, options, entry)
    return { item: await storeTerminating(context, target, options, entry, marked), stays: true }
  } catch (error) {
    if (isStoreError(error, 'Conflict') || isStoreError(error, 'NotFound')) return undefined
    throw fromStoreError(error)
  }
}

/** Fails with Conflict unless the object is the one that the deletion is about. */
export function checkPreconditions(
  { kind, name = '' }: Target,
  { preconditions }: DeleteOptions,
  current: ApiObject,
): void {
  const { uid, resourceVersion } = preconditions ?? {}
  if (uid !== undefined && uid !== current.metadata.uid) {
    throw conflict(kind, name, uidMismatch(uid, current))
  }
  const actual = current.metadata.resourceVersion
  if (resourceVersion === undefined || resourceVersion === actual) return
  throw conflict(
    kind,
    name,
    `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${actual}`,
  )
}

/** The object as its deletion leaves it, be it kept or not. */
function markDeleted(
  { clock, scheme: { platform } }: RegistryContext,
  { kind }: Target,
  rule: DeletionStrategy,
  object: ApiObject,
  options: DeleteOptions,
): ApiObject {
  const grace = rule.grace?.(object, options.gracePeriodSeconds) ?? 0
  if (object.metadata.deletionTimestamp !== undefined) return shortenGracePeriod(object, grace)
  const generation = object.metadata.generation ?? 0
  const metadata = {
    ...object.metadata,
    ...(generation > 0 && { generation: generation + 1 }),
    deletionTimestamp: timestamp(clock.now() + grace * 1000),
    deletionGracePeriodSeconds: grace,
    ...policyFinalizers(kind, object.metadata, options),
  }
  return rule.begin?.({ ...object, metadata }, platform) ?? { ...object, metadata }
}

/** A later delete can only bring the end nearer. */
function shortenGracePeriod(object: ApiObject, grace: number): ApiObject {
  const { deletionGracePeriodSeconds: before = 0, deletionTimestamp = '' } = object.metadata
  if (grace >= before) return object
  const end = Date.parse(deletionTimestamp) - (before - grace) * 1000
  const metadata = {
    ...object.metadata,
    deletionTimestamp: timestamp(end),
    deletionGracePeriodSeconds: grace,
  }
  return { ...object, metadata }
}

const policies: Readonly<Record<string, string>> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
}

/** A policy sets its finalizer and takes the other one away; without one, what is there stays, or the kind decides. */
function policyFinalizers(
  { dependents }: Target['kind'],
  { finalizers = [] }: Metadata,
  { propagationPolicy }: DeleteOptions,
): Pick<Metadata, 'finalizers'> {
  const all = Object.values(policies)
  if (dependents === 'None') return { finalizers: finalizers.filter((one) => !all.includes(one)) }
  const decided = finalizers.some((one) => all.includes(one))
  const policy = propagationPolicy ?? (decided ? undefined : dependents)
  if (policy === undefined) return { finalizers }
  const wanted = policies[policy]
  const kept = finalizers.filter((one) => one === wanted || !all.includes(one))
  return { finalizers: wanted && !kept.includes(wanted) ? [...kept, wanted] : kept }
}

async function removeNow(
  { store, allocations: claims }: RegistryContext,
  { kind, name = '' }: Target,
  { dryRun }: DeleteOptions,
  entry: Entry,
): Promise<DeleteResult> {
  const current = itemOf(entry).object()
  const { uid } = current.metadata
  if (!dryRun) claims?.expectRelease(current)
  const revision = dryRun
    ? entry.revision
    : (await store.delete(entry.key, entry.revision)).revision
  if (!dryRun) claims?.commit(undefined)
  if (kind.deleteReturns === 'Object')
    return { item: itemAtRevision(entry, revision), stays: false }
  return { details: { ...statusDetails(kind, name), ...(uid && { uid }) } }
}

async function storeTerminating(
  { store }: RegistryContext,
  { kind }: Target,
  { dryRun }: DeleteOptions,
  entry: Entry,
  marked: ApiObject,
): Promise<Item> {
  const object = kind.read(marked as unknown as Json, createReport())
  const value = encodeJson(object)
  if (Buffer.compare(value, withoutResourceVersion(entry.value)) === 0) return itemOf(entry)
  if (dryRun) return itemOfObject(withVersion(object, String(entry.revision)))
  return itemOf(await store.update(entry.key, entry.revision, value))
}
