/**
 * Who manages the fields of an object, on every way in which it can be written. The rules are those of `runtime/apply`;
 * here stands when they run, and what clients may say about the records themselves.
 */

import { fromStorageVersion, toStorageVersion } from '../../apis/apis.ts'
import {
  emptyObjectOf,
  type FieldWriter,
  type ManagedFieldsRecord,
  type Managers,
  managersOf,
  noFields,
  readManagers,
  recordsOf,
  sameFields,
  setOfFields,
  trackWrite,
  type VersionView,
  type VersionViews,
  within,
  without,
} from '../../apply/apply.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { type ApiObject, apiVersionOf, type Metadata } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target } from '../contract/contract.ts'
import type { Conversions } from '../storage/conversions.ts'
import { servedVersion } from '../storage/served-versions.ts'
import { writableFieldsOf } from './writable-fields.ts'

export type ManagedFields = readonly ManagedFieldsRecord[]

type MetadataWithManagers = Metadata & { readonly managedFields?: ManagedFields }

/** The records that an object carries. */
export function managedFieldsOf(object: ApiObject): ManagedFields | undefined {
  return (object.metadata as MetadataWithManagers).managedFields
}

/** The object without records: nobody manages the records themselves. */
export function withoutManagedFields(object: ApiObject): ApiObject {
  if (managedFieldsOf(object) === undefined) return object
  const { managedFields, ...metadata } = object.metadata as MetadataWithManagers
  return { ...object, metadata }
}

/** The object with these records in their place, after everything else in its metadata. */
export function withManagedFields(
  object: ApiObject,
  managedFields: ManagedFields | undefined,
): ApiObject {
  const bare = withoutManagedFields(object)
  if (managedFields === undefined || managedFields.length === 0) return bare
  return { ...bare, metadata: { ...bare.metadata, managedFields } as Metadata }
}

/** The object as a value whose fields are counted. */
export function trackedFields(object: ApiObject): JsonObject {
  return withoutManagedFields(object) as unknown as JsonObject
}

/** Who writes to a target. */
export function fieldWriter({ kind, subresource }: Target, manager: string): FieldWriter {
  return { manager, apiVersion: apiVersionOf(kind), ...(subresource && { subresource }) }
}

const known = new WeakMap<Kind, Map<string, VersionView>>()

/** The served versions of a kind, each as an object of the target's version looks in it; others are forgotten. */
export function versionViews(
  { scheme, conversions }: RegistryContext,
  { kind, subresource = '' }: Target,
): VersionViews {
  const views = (conversions ? undefined : known.get(kind)) ?? new Map<string, VersionView>()
  if (conversions === undefined) known.set(kind, views)
  return (apiVersion) => {
    const version = servedVersion(scheme, kind, apiVersion)
    if (version === undefined) return undefined
    const key = `${apiVersion} ${subresource}`
    const view = views.get(key) ?? versionView(version, kind, subresource, conversions)
    views.set(key, view)
    return view
  }
}

function versionView(
  version: Kind,
  kind: Kind,
  subresource: string,
  conversions: Conversions | undefined,
): VersionView {
  const reach = reachableFields(version, subresource)
  if (version === kind) return { merge: kind.merge, restrict: reach, convert: (object) => object }
  const convert = (object: JsonObject) =>
    inVersion(version, kind, object as unknown as ApiObject, conversions) as unknown as JsonObject
  return { merge: version.merge, restrict: reach, convert }
}

function inVersion(
  version: Kind,
  kind: Kind,
  object: ApiObject,
  conversions: Conversions | undefined,
): ApiObject {
  return (
    conversions?.convert(version, object) ??
    fromStorageVersion(version, toStorageVersion(kind, object))
  )
}

function reachableFields(kind: Kind, subresource: string): VersionView['restrict'] {
  const view = writableFieldsOf(kind, subresource === '' ? undefined : subresource)
  const set = (paths: readonly string[]) =>
    setOfFields(paths.map((path) => path.replace(/^\./, '')))
  if ('writes' in view) {
    const writes = set(view.writes)
    return (fields) => within(fields, writes)
  }
  const keeps = view.keeps.length === 0 ? noFields : set(view.keeps)
  return (fields) => without(fields, keeps)
}

/** The managers that a stored object's records name. */
export function fieldManagersOf(
  { scheme }: RegistryContext,
  { kind }: Target,
  object: ApiObject,
): Managers {
  return managersOf(
    managedFieldsOf(object),
    (version) => servedVersion(scheme, kind, version)?.merge,
  )
}

/** The records of a new object: its writer's, beside valid ones that the request itself brings. */
export function managedFieldsOnCreate(
  context: RegistryContext,
  target: Target,
  object: ApiObject,
  manager: string,
): ManagedFields {
  const sent = managedFieldsOf(object)
  const base = isReset(sent) ? [] : (readManagers(sent) ?? [])
  const managers = trackWrite(
    base,
    emptyObjectOf(target.kind),
    trackedFields(object),
    fieldWriter(target, manager),
    versionViews(context, target),
    timestamp(context.clock.now()),
  )
  return recordsOf(managers)
}

/** A change of a stored object: what it is, what it becomes, and the records that the request brings. */
export interface FieldsUpdate {
  readonly old: ApiObject
  readonly object: ApiObject
  readonly sent: ManagedFields | undefined
  readonly manager: string
}

/**
 * The records after a write other than an apply. Records that the request brings replace the stored ones if they are
 * valid; one empty record resets them, before anything else (A4.66); no list, an empty one and an invalid one leave them.
 * An object that nobody manages any part of is left so until the first apply (supplement D-01, D-02).
 */
export function managedFieldsOnUpdate(
  context: RegistryContext,
  target: Target,
  { old, object, sent, manager }: FieldsUpdate,
): ManagedFields | undefined {
  const stored = managedFieldsOf(old)
  const live = fieldManagersOf(context, target, old)
  const heard = target.subresource === undefined ? sent : undefined
  const reset = isReset(heard)
  const base = reset ? [] : requestedManagers(heard, stored, live)
  if (base.length === 0 && !reset) return stored
  const managers = trackWrite(
    base,
    trackedFields(old),
    trackedFields(object),
    fieldWriter(target, manager),
    versionViews(context, target),
    timestamp(context.clock.now()),
  )
  return onlyTimesDiffer(managers, live, base) ? stored : recordsOf(managers)
}

function isReset(sent: ManagedFields | undefined): boolean {
  const [only] = sent ?? []
  return sent?.length === 1 && only !== undefined && Object.keys(only).length === 0
}

function requestedManagers(
  sent: ManagedFields | undefined,
  stored: ManagedFields | undefined,
  live: Managers,
): Managers {
  if (sent === undefined || sent.length === 0 || deepEqual(sent, stored)) return live
  return readManagers(sent) ?? live
}

/** True if nothing differs from the stored records but the times that a request told. */
function onlyTimesDiffer(managers: Managers, live: Managers, base: Managers): boolean {
  if (managers === live) return true
  if (managers !== base || managers.length !== live.length) return false
  const described = (all: Managers) => all.map(({ time, fields, ...rest }) => ({ ...rest, fields }))
  const [now, before] = [described(managers), described(live)]
  return before.every((one) =>
    now.some(
      ({ fields, ...rest }) =>
        deepEqual(rest, { ...one, fields: undefined }) && sameFields(fields, one.fields),
    ),
  )
}
