import {
  difference,
  type FieldSet,
  isEmpty,
  type ManagedFieldsRecord,
  setOfFields,
  within,
} from '../../apply/apply.ts'
import type { Client, JsonPatch } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { recordsIn } from './field-records.ts'

/** What stays with its writer: finalizers are put on and off one by one, by `update`. */
const notClaimed = setOfFields(['metadata.finalizers'])

/**
 * What this program wrote to the object by create and update becomes what `manager` applied: without that, a field that a draft
 * names no longer would stay, as a field of the program's. An object that the program did not write so stays as it is.
 *
 * @throws StatusError `Conflict` if the object has changed since.
 */
export async function claimUpdatedFields<K extends ApiObject>(
  client: Client,
  kind: Kind<K>,
  object: Stored<K>,
  manager: string,
): Promise<void> {
  const records = recordsIn(object)
  const written = records.find((one) => isWrittenBy(one, client.manager, kind))
  if (written === undefined) return
  const fields = (written.fieldsV1 ?? {}) as FieldSet
  const kept = within(fields, notClaimed)
  const claimed = difference(fields, kept)
  const left = records.filter((one) => one !== written)
  const value = [
    { ...written, manager, operation: 'Apply', fieldsV1: claimed },
    ...left,
    ...(isEmpty(kept) ? [] : [{ ...written, fieldsV1: kept }]),
  ]
  const { resourceVersion } = object.metadata
  const patch = [
    { op: 'replace', path: '/metadata/managedFields', value },
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
  ] as unknown as JsonPatch
  await client.resource(kind).jsonPatch(objectKey(object), patch)
}

function isWrittenBy(one: ManagedFieldsRecord, manager: string, { version }: Kind): boolean {
  return (
    one.manager === manager &&
    one.operation === 'Update' &&
    !one.subresource &&
    one.apiVersion?.split('/').at(-1) === version
  )
}
