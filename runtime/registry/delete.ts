import type { Case } from '../admission/admission.ts'
import { encode, withoutRevision } from '../codec/codec.ts'
import type { Json } from '../kernel/json.ts'
import type { ApiObject, Metadata } from '../kernel/object.ts'
import { createReport } from '../kernel/read.ts'
import { timestamp } from '../kernel/time.ts'
import type { Entry } from '../store/store.ts'
import { admittingDeletion, settling } from './admit.ts'
import { isRemovable, uidMismatch, withVersion } from './change.ts'
import type { Context } from './context.ts'
import { type DeletionRule, deletionRuleOf } from './deletion-rules.ts'
import { conflict, detailsOf, fromStore, isStoreError, notFound } from './errors.ts'
import { itemAt, itemOf, itemOfObject } from './item.ts'
import { keyOfExisting } from './keys.ts'
import { withoutVersion } from './prepare.ts'
import type { Deleted, DeleteOptions, Item, Target } from './registry.ts'

/**
 * Deletes an object: at once if nothing keeps it, else in two phases, of which this is the first: the object is marked
 * and goes when the last finalizer is gone and its grace period is over.
 */
export async function remove(
  context: Context,
  target: Target,
  options: DeleteOptions,
): Promise<Deleted> {
  const name = target.name ?? ''
  const key = keyOfExisting(target)
  for (;;) {
    const entry = await context.store.get(key)
    if (entry === undefined) throw notFound(target.kind, name)
    const begun = admittingDeletion(context, target, options)
    const deleted = await settling(begun, () => attempt(context, target, options, entry, begun))
    if (deleted === undefined) continue
    const warnings = [...warned(target, options), ...(begun?.warnings ?? [])]
    return { ...deleted, ...(warnings.length > 0 && { warnings }) }
  }
}

function warned({ kind }: Target, { propagationPolicy }: DeleteOptions): readonly string[] {
  const { deleteWarning } = kind
  return deleteWarning && !propagationPolicy ? [deleteWarning] : []
}

async function attempt(
  context: Context,
  target: Target,
  options: DeleteOptions,
  entry: Entry,
  begun: Case | undefined,
): Promise<Deleted | undefined> {
  const current = itemOf(entry).object()
  checkPreconditions(target, options, current)
  const rule = deletionRuleOf(target.kind)
  await begun?.mutate(undefined, current)
  await begun?.validate(undefined, current)
  const marked = mark(context, target, rule, withoutVersion(current), options)
  try {
    if (isRemovable(target, marked)) return await drop(context, target, options, entry)
    return { item: await keep(context, target, options, entry, marked), stays: true }
  } catch (error) {
    if (isStoreError(error, 'Conflict') || isStoreError(error, 'NotFound')) return undefined
    throw fromStore(error)
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
function mark(
  { clock, tree: { platform } }: Context,
  { kind }: Target,
  rule: DeletionRule,
  object: ApiObject,
  options: DeleteOptions,
): ApiObject {
  const grace = rule.grace?.(object, options.gracePeriodSeconds) ?? 0
  if (object.metadata.deletionTimestamp !== undefined) return shortened(object, grace)
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
function shortened(object: ApiObject, grace: number): ApiObject {
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

async function drop(
  { store, claims }: Context,
  { kind, name = '' }: Target,
  { dryRun }: DeleteOptions,
  entry: Entry,
): Promise<Deleted> {
  const current = itemOf(entry).object()
  const { uid } = current.metadata
  if (!dryRun) claims?.leaving(current)
  const revision = dryRun
    ? entry.revision
    : (await store.delete(entry.key, entry.revision)).revision
  if (!dryRun) claims?.landed(undefined)
  if (kind.deleteReturns === 'Object') return { item: itemAt(entry, revision), stays: false }
  return { details: { ...detailsOf(kind, name), ...(uid && { uid }) } }
}

async function keep(
  { store }: Context,
  { kind }: Target,
  { dryRun }: DeleteOptions,
  entry: Entry,
  marked: ApiObject,
): Promise<Item> {
  const object = kind.read(marked as unknown as Json, createReport())
  const value = encode(object)
  if (Buffer.compare(value, withoutRevision(entry.value)) === 0) return itemOf(entry)
  if (dryRun) return itemOfObject(withVersion(object, String(entry.revision)))
  return itemOf(await store.update(entry.key, entry.revision, value))
}
