/**
 * The managed fields of an object, for every way of writing it. The algorithm is that of `runtime/apply`; here stands when it
 * runs, and what clients may set of the records themselves.
 */

import { fromStorageVersion, toStorageVersion } from '../../apis/apis.ts'
import {
  difference,
  emptyObjectOf,
  type FieldWriter,
  type ManagedFieldsRecord,
  type Manager,
  type Managers,
  managersOf,
  readManagers,
  recordsOf,
  sameFields,
  setOfFields,
  trackSteps,
} from '../../apply/apply.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { runInSlices } from '../../kernel/async/slices.ts'
import { type ApiObject, apiVersionOf, type Metadata } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target } from '../contract/contract.ts'
import { servedVersion } from '../storage/served-versions.ts'
import { type ScaleSubresource, scaleSubresourceOf } from './scale-subresource.ts'
import { convertAhead, versionViews } from './version-views.ts'
import { copyWritableFields } from './writable-fields.ts'

/** The managed fields of an object in their wire format, one record for each manager. */
export type ManagedFields = readonly ManagedFieldsRecord[]

type MetadataWithManagers = Metadata & { readonly managedFields?: ManagedFields }

/** The managed fields that an object carries. */
export function managedFieldsOf(object: ApiObject): ManagedFields | undefined {
  return (object.metadata as MetadataWithManagers).managedFields
}

/** The object without managed fields: they are not managed themselves. */
export function withoutManagedFields(object: ApiObject): ApiObject {
  if (managedFieldsOf(object) === undefined) return object
  const { managedFields, ...metadata } = object.metadata as MetadataWithManagers
  return { ...object, metadata }
}

/** The object with these managed fields in their place, after everything else in its metadata. */
export function withManagedFields(
  object: ApiObject,
  managedFields: ManagedFields | undefined,
): ApiObject {
  const bare = withoutManagedFields(object)
  if (managedFields === undefined || managedFields.length === 0) return bare
  return { ...bare, metadata: { ...bare.metadata, managedFields } as Metadata }
}

/** The object as the value whose fields have managers: all of it but the managed fields. */
export function trackedFields(object: ApiObject): JsonObject {
  return withoutManagedFields(object) as unknown as JsonObject
}

/** The writer of a request, as managed fields name it. */
export function fieldWriter({ kind, subresource }: Target, manager: string): FieldWriter {
  return { manager, apiVersion: apiVersionOf(kind), ...(subresource && { subresource }) }
}

/** The managers of a stored object; those who wrote in a version that is not served are forgotten. */
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

/** Who makes a new object, and what it was in the request. */
export type NewFields = Pick<FieldsUpdate, 'requested' | 'manager' | 'large' | 'valid'>

/** The managed fields of a new object: its writer's, beside valid ones that the request itself brings. */
export function managedFieldsOnCreate(
  context: RegistryContext,
  target: Target,
  object: ApiObject,
  { requested, manager, large, valid }: NewFields,
): Awaitable<ManagedFields> {
  const sent = managedFieldsOf(object)
  if (isUnmanageable(target, requested, valid)) return []
  const base = isReset(sent) ? [] : (readManagers(sent) ?? [])
  const [before, after] = [
    emptyObjectOf(target.kind),
    trackedFields(asStored(target, object, requested)),
  ]
  const change = { before, after, manager, large }
  return chainAwaitable(trackChange(context, target, base, change), recordsOf)
}

/** A change of a stored object: what it is, what it becomes, and the records that the request brings. */
export interface FieldsUpdate {
  readonly old: ApiObject
  readonly object: ApiObject
  /** What the request asks for, whatever it may write. */
  readonly requested: ApiObject
  readonly sent: ManagedFields | undefined
  readonly manager: string
  readonly large: boolean
  /** The reader of the kind refuses nothing of what the request asks for. */
  readonly valid: boolean
}

/**
 * The records after a write other than an apply. Records that the request brings replace the stored ones if they are
 * valid; one empty record resets them, before anything else (A4.66); no list, an empty one and an invalid one leave them.
 * An object without managers stays so until the first apply (supplement D-01, D-02).
 */
export function managedFieldsOnUpdate(
  context: RegistryContext,
  target: Target,
  { old, object, requested, sent, manager, large, valid }: FieldsUpdate,
): Awaitable<ManagedFields | undefined> {
  const stored = managedFieldsOf(old)
  const live = fieldManagersOf(context, target, old)
  const heard = target.subresource === undefined ? sent : undefined
  const reset = isReset(heard)
  const base = reset ? [] : requestedManagers(heard, stored, live)
  if (base.length === 0 && !reset) return stored
  if (isUnmanageable(target, requested, valid) || isUnmanageable(target, old, true)) return []
  const scale = scaleSubresourceOf(target)
  if (scale !== undefined && !base.some((one) => managesReplicas(one, scale))) return stored
  const [before, after] = [old, asStored(target, object, requested)].map((one) =>
    scale === undefined ? trackedFields(one) : scaledFields(one, scale),
  ) as [JsonObject, JsonObject]
  const change = { before, after, manager, large }
  return chainAwaitable(trackChange(context, target, base, change), (managers) =>
    onlyTimesDiffer(managers, live, base) ? stored : recordsOf(managers),
  )
}

/**
 * The object as it comes back from its stored version, with the status that its request states: a conversion may say in annotations
 * what has a field here.
 */
function asStored({ kind }: Target, object: ApiObject, requested: ApiObject): ApiObject {
  const called = kind.storageVersion?.conversion.some((step) => step.is === 'call')
  if (!called) return object
  const { status } = requested as ApiObject & { readonly status?: unknown }
  const whole = { ...object, ...(status !== undefined && { status }) } as ApiObject
  return fromStorageVersion(kind, toStorageVersion(kind, whole)) as ApiObject
}

/** True for a custom object that holds what cannot be merged: it has no managers at all. */
function isUnmanageable({ kind }: Target, object: ApiObject, valid: boolean): boolean {
  const { customResource: custom } = kind
  if (custom === undefined) return false
  return custom.typeProblems(trackedFields(object), { repeats: true, valid }).length > 0
}

/** A scale of no replicas says nothing of them, so that they have no manager. */
function scaledFields(object: ApiObject, { paths }: ScaleSubresource): JsonObject {
  const { specReplicasPath: path } = paths
  if (valueAtPath(object, path) !== 0) return trackedFields(object)
  const none = { ...object, spec: {} } as ApiObject
  return trackedFields(copyWritableFields({ writes: [path] }, none, object))
}

function managesReplicas({ fields }: Manager, { paths }: ScaleSubresource): boolean {
  return difference(fields, setOfFields([paths.specReplicasPath])) !== fields
}

/** A change of the fields that managers manage. */
interface FieldChange {
  readonly before: JsonObject
  readonly after: JsonObject
  /** The field manager of the request. */
  readonly manager: string
  readonly large: boolean
}

/** The managers after a change. Where a webhook converts, both states are converted ahead, unless nothing changed. */
function trackChange(
  context: RegistryContext,
  target: Target,
  managers: Managers,
  { before, after, manager, large }: FieldChange,
): Awaitable<Managers> {
  const writer = fieldWriter(target, manager)
  const views = versionViews(context, target)
  const now = timeOfWrite(context, target)
  const track = () =>
    runInSlices(trackSteps(managers, { before, after, writer, views, now, large }))
  if (context.conversions === undefined || deepEqual(before, after)) return track()
  return chainAwaitable(convertAhead(context, target, managers, [before, after]), track)
}

/** The time that a writer's record gets. Those who write through a scale have none. */
export function timeOfWrite({ clock }: RegistryContext, target: Target): string {
  return scaleSubresourceOf(target) === undefined ? timestamp(clock.now()) : ''
}

/** One empty record stands for no managers at all. */
function isReset(sent: ManagedFields | undefined): boolean {
  const [only] = sent ?? []
  return sent?.length === 1 && only !== undefined && Object.keys(only).length === 0
}

/** The managers that the request brings, if its records are valid and not those that are stored. */
function requestedManagers(
  sent: ManagedFields | undefined,
  stored: ManagedFields | undefined,
  live: Managers,
): Managers {
  if (sent === undefined || sent.length === 0 || deepEqual(sent, stored)) return live
  return readManagers(sent) ?? live
}

/** True if two lists have the same records, whatever their times, by which they are sorted. */
export function differInTimesOnly(one: ManagedFields, other: ManagedFields | undefined): boolean {
  return one.length === other?.length && deepEqual(timeless(one), timeless(other))
}

function timeless(records: ManagedFields): Readonly<Record<string, object>> {
  return Object.fromEntries(
    records.map(({ time, ...record }) => {
      const { manager, operation, apiVersion, subresource } = record
      return [JSON.stringify([manager, operation, apiVersion, subresource]), record]
    }),
  )
}

/** True if nothing differs from the stored records but the times that the request brought. */
function onlyTimesDiffer(managers: Managers, live: Managers, base: Managers): boolean {
  if (managers === live) return true
  if (managers !== base || managers.length !== live.length) return false
  const before = new Map(live.map((one) => [describe(one), one.fields]))
  return managers.every((one) => {
    const fields = before.get(describe(one))
    return fields !== undefined && sameFields(fields, one.fields)
  })
}

/** A text that only the same manager in the same version has. */
function describe({ manager, operation, apiVersion, subresource = '' }: Manager): string {
  return JSON.stringify([manager, operation, apiVersion, subresource])
}
