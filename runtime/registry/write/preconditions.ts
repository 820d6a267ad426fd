/** Preconditions: which stored object a request is about. Where they fail, the client has to read the object again. */
import { storedKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { DeleteOptions, ObjectTarget, WriteOptions } from '../contract/contract.ts'
import { conflict, invalid } from '../contract/errors.ts'
import { parseResourceVersion } from '../storage/resource-version.ts'
import type { Draft } from '../strategy/decode.ts'

/**
 * Fails unless the stored object is the one that an update is about. Version 0 is no precondition, like none.
 *
 * @throws StatusError Conflict for another uid or version, Invalid where the kind demands a version and there is none.
 */
export function checkUpdatePreconditions(
  { kind, name }: ObjectTarget,
  options: WriteOptions,
  { object, patched }: Draft,
  stored: ApiObject,
): void {
  const { uid, resourceVersion } = object.metadata
  if (uid && !patched && uid !== stored.metadata.uid)
    throw conflict(kind, name, uidMismatch(uid, stored.metadata.uid))
  const versions = [resourceVersion, options.resourceVersion].map(
    (text) => parseResourceVersion(text) || undefined,
  )
  for (const version of versions) {
    if (version !== undefined && String(version) !== stored.metadata.resourceVersion) {
      throw conflict(kind, name)
    }
  }
  if (kind.unconditionalUpdate || versions.some((version) => version !== undefined)) return
  throw invalid({ group: kind.group, kind: kind.plural }, name, [
    {
      path: 'metadata.resourceVersion',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0x0: must be specified for an update',
    },
  ])
}

/** @throws StatusError Conflict, which names the kind and not its resource, unless the stored object is the one that a deletion is about. */
export function checkDeletePreconditions(
  { kind, name }: ObjectTarget,
  { preconditions }: DeleteOptions,
  stored: ApiObject,
): void {
  const { uid, resourceVersion } = preconditions ?? {}
  const named = { ...kind, group: storedKind(kind).group, plural: kind.kind }
  const { uid: actual, resourceVersion: version } = stored.metadata
  if (uid !== undefined && uid !== actual) {
    throw conflict(
      named,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${actual}). ` +
        'The object might have been deleted and then recreated',
    )
  }
  if (resourceVersion === undefined || resourceVersion === version) return
  throw conflict(
    named,
    name,
    `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${version}). ` +
      'The object might have been modified',
  )
}

/** Why an object is not the one that an update is about. */
export function uidMismatch(uid: string, stored = ''): string {
  return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored}`
}
