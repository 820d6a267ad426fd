import { encode, withoutRevision } from '../codec/codec.ts'
import type { ApiObject } from '../kernel/object.ts'
import { isLarge, othersTurn } from '../kernel/turns.ts'
import type { Entry } from '../store/store.ts'
import { type Admitting, admitting, type Guise, settling } from './admit.ts'
import type { Context } from './context.ts'
import { checkName, type Draft, inNamespace } from './decode.ts'
import { deletionRuleOf } from './deletion-rules.ts'
import { conflict, fromStore, invalid, isStoreError } from './errors.ts'
import { storeFitting } from './fitting.ts'
import { itemOf, itemOfObject } from './item.ts'
import { keyOfExisting } from './keys.ts'
import { isOutdated } from './outdated.ts'
import { prepareUpdate } from './prepare.ts'
import type { Item, Target, WriteOptions, Written } from './registry.ts'
import { parseVersion } from './version.ts'

/** Makes the wanted object of the current one. Runs again on a newer one if another write was first. */
export type Change = (current: Item) => Draft

/**
 * Changes a stored object; undefined if it is not there. A write that lost against another is repeated on what the other
 * one left, so only a version that the request itself names can conflict.
 */
export async function change(
  context: Context,
  target: Target,
  options: WriteOptions,
  wanted: Change,
  guise?: Guise,
): Promise<Written | undefined> {
  const key = keyOfExisting(target)
  for (;;) {
    const entry = await context.store.get(key)
    if (entry === undefined) return undefined
    const way = admitting(context, target, 'UPDATE', options, guise)
    const written = await settling(way?.case, () =>
      attempt(context, target, options, entry, inTurns(wanted(itemOf(entry)), entry), way),
    )
    if (written !== undefined) return written
  }
}

/** A large object is worked on in turns, however little is written of it. */
function inTurns(draft: Draft, { value }: Entry): Draft {
  return isLarge(value.length) ? { ...draft, large: true } : draft
}

async function attempt(
  context: Context,
  target: Target,
  options: WriteOptions,
  entry: Entry,
  given: Draft,
  way: Admitting | undefined,
): Promise<Written | undefined> {
  const current = itemOf(entry)
  const old = current.object()
  if (given.large) await othersTurn()
  checkName(target, given.object)
  const draft = { ...given, object: inNamespace(target, given.object) }
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
  if (given.large) await othersTurn()
  const value = encode(object)
  const stored = withoutRevision(entry.value)
  if (Buffer.compare(value, stored) === 0 && !isOutdated(entry))
    return { item: current, created: false, warnings }
  if (options.dryRun) return { item: dryItem(object, old), created: false, warnings }
  try {
    const item = isRemovable(target, object)
      ? await remove(context, entry, object)
      : itemOf(
          await storeFitting(object, draft, (bytes) =>
            context.store.update(entry.key, entry.revision, bytes),
          ),
        )
    context.claims?.landed(isRemovable(target, object) ? undefined : object)
    return { item, created: false, warnings }
  } catch (error) {
    if (isStoreError(error, 'Conflict') || isStoreError(error, 'NotFound')) return undefined
    throw fromStore(error)
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
    (text) => parseVersion(text) || undefined,
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
    !deletionRuleOf(kind).held?.(object)
  )
}

async function remove(context: Context, entry: Entry, object: ApiObject): Promise<Item> {
  const { revision } = await context.store.delete(entry.key, entry.revision)
  return itemOfObject(withVersion(object, String(revision)))
}

function dryItem(object: ApiObject, { metadata }: ApiObject): Item {
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
