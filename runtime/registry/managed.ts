/**
 * Who manages the fields of an object, on every way in which it can be written. The rules are those of `runtime/apply`;
 * here stands when they run, and what clients may say about the records themselves.
 */
import {
  blankOf,
  type ManagedFieldsRecord,
  type Managers,
  managersOf,
  noFields,
  readManagers,
  recordsOf,
  sameFields,
  setOfFields,
  trackWrite,
  type View,
  type Views,
  type Writer,
  within,
  without,
} from '../apply/apply.ts'
import { equal } from '../kernel/equal.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import { type ApiObject, apiVersionOf, type Metadata } from '../kernel/object.ts'
import { timestamp } from '../kernel/time.ts'
import { fromStored, toStored } from '../kinds/kinds.ts'
import type { Context } from './context.ts'
import type { Conversions } from './conversions.ts'
import type { Target } from './registry.ts'
import { versionOf } from './versions.ts'
import { viewOf } from './view.ts'

export type Records = readonly ManagedFieldsRecord[]

type Managed = Metadata & { readonly managedFields?: Records }

/** The records that an object carries. */
export function recordsIn(object: ApiObject): Records | undefined {
  return (object.metadata as Managed).managedFields
}

/** The object without records: nobody manages the records themselves. */
export function withoutRecords(object: ApiObject): ApiObject {
  if (recordsIn(object) === undefined) return object
  const { managedFields, ...metadata } = object.metadata as Managed
  return { ...object, metadata }
}

/** The object with these records in their place, after everything else in its metadata. */
export function withRecords(object: ApiObject, managedFields: Records | undefined): ApiObject {
  const bare = withoutRecords(object)
  if (managedFields === undefined || managedFields.length === 0) return bare
  return { ...bare, metadata: { ...bare.metadata, managedFields } as Metadata }
}

/** The object as a value whose fields are counted. */
export function trackedOf(object: ApiObject): JsonObject {
  return withoutRecords(object) as unknown as JsonObject
}

/** Who writes to a target. */
export function writerOf({ kind, subresource }: Target, manager: string): Writer {
  return { manager, apiVersion: apiVersionOf(kind), ...(subresource && { subresource }) }
}

const known = new WeakMap<Kind, Map<string, View>>()

/** The served versions of a kind, each as an object of the target's version looks in it; others are forgotten. */
export function viewsOf({ tree, conversions }: Context, { kind, subresource = '' }: Target): Views {
  const views = (conversions ? undefined : known.get(kind)) ?? new Map<string, View>()
  if (conversions === undefined) known.set(kind, views)
  return (apiVersion) => {
    const version = versionOf(tree, kind, apiVersion)
    if (version === undefined) return undefined
    const key = `${apiVersion} ${subresource}`
    const view = views.get(key) ?? viewIn(version, kind, subresource, conversions)
    views.set(key, view)
    return view
  }
}

function viewIn(
  version: Kind,
  kind: Kind,
  subresource: string,
  conversions: Conversions | undefined,
): View {
  const reach = reachOf(version, subresource)
  if (version === kind) return { merge: kind.merge, reach, convert: (object) => object }
  const convert = (object: JsonObject) =>
    inVersion(version, kind, object as unknown as ApiObject, conversions) as unknown as JsonObject
  return { merge: version.merge, reach, convert }
}

function inVersion(
  version: Kind,
  kind: Kind,
  object: ApiObject,
  conversions: Conversions | undefined,
): ApiObject {
  return conversions?.inVersion(version, object) ?? fromStored(version, toStored(kind, object))
}

function reachOf(kind: Kind, subresource: string): View['reach'] {
  const view = viewOf(kind, subresource === '' ? undefined : subresource)
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
export function managersIn({ tree }: Context, { kind }: Target, object: ApiObject): Managers {
  return managersOf(recordsIn(object), (version) => versionOf(tree, kind, version)?.merge)
}

/** The records of a new object: its writer's, beside valid ones that the request itself brings. */
export function recordsOfNew(
  context: Context,
  target: Target,
  object: ApiObject,
  manager: string,
): Records {
  const sent = recordsIn(object)
  const base = isReset(sent) ? [] : (readManagers(sent) ?? [])
  const managers = trackWrite(
    base,
    blankOf(target.kind),
    trackedOf(object),
    writerOf(target, manager),
    viewsOf(context, target),
    timestamp(context.clock.now()),
  )
  return recordsOf(managers)
}

/** A change of a stored object: what it is, what it becomes, and the records that the request brings. */
export interface Successor {
  readonly old: ApiObject
  readonly object: ApiObject
  readonly sent: Records | undefined
  readonly manager: string
}

/**
 * The records after a write other than an apply. Records that the request brings replace the stored ones if they are
 * valid; one empty record resets them, before anything else (A4.66); no list, an empty one and an invalid one leave them.
 * An object that nobody manages any part of is left so until the first apply (supplement D-01, D-02).
 */
export function recordsOfChanged(
  context: Context,
  target: Target,
  { old, object, sent, manager }: Successor,
): Records | undefined {
  const stored = recordsIn(old)
  const live = managersIn(context, target, old)
  const heard = target.subresource === undefined ? sent : undefined
  const reset = isReset(heard)
  const base = reset ? [] : brought(heard, stored, live)
  if (base.length === 0 && !reset) return stored
  const managers = trackWrite(
    base,
    trackedOf(old),
    trackedOf(object),
    writerOf(target, manager),
    viewsOf(context, target),
    timestamp(context.clock.now()),
  )
  return isRetold(managers, live, base) ? stored : recordsOf(managers)
}

function isReset(sent: Records | undefined): boolean {
  const [only] = sent ?? []
  return sent?.length === 1 && only !== undefined && Object.keys(only).length === 0
}

function brought(sent: Records | undefined, stored: Records | undefined, live: Managers): Managers {
  if (sent === undefined || sent.length === 0 || equal(sent, stored)) return live
  return readManagers(sent) ?? live
}

/** True if nothing differs from the stored records but the times that a request told. */
function isRetold(managers: Managers, live: Managers, base: Managers): boolean {
  if (managers === live) return true
  if (managers !== base || managers.length !== live.length) return false
  const described = (all: Managers) => all.map(({ time, fields, ...rest }) => ({ ...rest, fields }))
  const [now, before] = [described(managers), described(live)]
  return before.every((one) =>
    now.some(
      ({ fields, ...rest }) =>
        equal(rest, { ...one, fields: undefined }) && sameFields(fields, one.fields),
    ),
  )
}
