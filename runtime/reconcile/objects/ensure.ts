import {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  type ManagedFieldsRecord,
  mergeConfig,
  printFields,
  sameFields,
  setOfFields,
  statedFields,
  unmanagedFields,
} from '../../apply/apply.ts'
import type { ApplyConfiguration, Client, NamedDraft } from '../../client/client.ts'
import { type CacheReader, objectKey } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { ApiObject, NamedObject, Stored } from '../../kernel/meta/object.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import type { Log } from '../../observe/observe.ts'
import type { EnsureOptions } from '../controller/declared-types.ts'
import type { AppliedDrafts } from './applied-drafts.ts'
import { claimUpdatedFields } from './claim-fields.ts'
import { recordOf, recordsIn } from './field-records.ts'
import { ownedBy } from './owner-references.ts'

/** Where owned objects are read and written, and for whom. */
export interface Ownership<K extends ApiObject> {
  readonly client: Client
  readonly cache: CacheReader<K>
  readonly owner: Stored<ApiObject>
  /** The field manager of the controller. */
  readonly manager: string
  readonly applied: AppliedDrafts
  readonly log: Log
  readonly clock: Clock
}

/** Makes an object that `owner` controls have the fields of the draft: see `Context.ensure`. */
export async function ensureOwned<K extends ApiObject>(
  ownership: Ownership<K>,
  kind: Kind<K>,
  draft: NamedDraft<K>,
  { force = true }: EnsureOptions = {},
): Promise<Stored<K>> {
  const { client, cache, owner, applied } = ownership
  const wanted = configurationOf(kind, owner, draft)
  const key = objectKey(wanted)
  const actual = cache.get(key) ?? (await client.resource(kind).find(key))
  if (actual === undefined) return createOwned(ownership, kind, wanted)
  if (controllerOf(actual)?.uid !== owner.metadata.uid) {
    throw refused(owner, actual, 'is not owned by it')
  }
  if (actual.metadata.deletionTimestamp !== undefined) {
    throw refused(owner, actual, 'is being deleted')
  }
  const record = recordOf(actual, ownership.manager)
  if (record === undefined) await claimUpdatedFields(client, kind, actual, ownership.manager)
  else if (saysDraft(kind, actual, wanted, record) || applied.has(actual, wanted, record)) {
    return actual
  } else reportTaken(ownership, kind, actual, wanted, record)
  const hidden = applied.hiddenDrift(actual, wanted)
  const answer = await apply(ownership, kind, wanted, actual.metadata.uid, force)
  if (hidden.length > 0) reportHidden(ownership, actual, answer, hidden)
  return answer
}

/** Tells that what a server made of the draft had changed, if it has been put right: others may have changed what is beside it. */
function reportHidden(
  { log, manager }: Pick<Ownership<ApiObject>, 'log' | 'manager'>,
  { kind, metadata: { name, resourceVersion } }: Stored<ApiObject>,
  answer: Stored<ApiObject>,
  fields: readonly string[],
): void {
  if (answer.metadata.resourceVersion === resourceVersion) return
  const names = fields.map((field) => `.${field}`).join(', ')
  log.info('drift put right', { kind, name, manager, fields: names })
}

/**
 * The draft as what the controller applies: what it names, placed beside its owner. Metadata that only a server writes is left
 * out, and so is what another subresource writes.
 */
function configurationOf<K extends ApiObject>(
  kind: Kind<K>,
  owner: Stored<ApiObject>,
  draft: NamedDraft<K>,
): ApiObject & NamedObject {
  const { name, labels, annotations, finalizers, ownerReferences = [] } = draft.metadata
  const { namespace = owner.metadata.namespace } = draft.metadata
  refuseForeignOwner(kind, owner, { name, namespace })
  const reset = kind.applyReset.main ?? []
  const fields = Object.entries(draft).filter(([field]) => !reset.includes(field))
  const others = ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid)
  return {
    ...Object.fromEntries(fields),
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      name,
      ...(kind.scope === 'Namespaced' && namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [...others, ownedBy(owner)],
    },
  }
}

/**
 * Creates an object by applying to nothing. One that another program made in the same moment is given back as it was: what was
 * applied unforced has changed nothing that was there.
 */
async function createOwned<K extends ApiObject>(
  ownership: Ownership<K>,
  kind: Kind<K>,
  wanted: ApiObject & NamedObject,
): Promise<Stored<K>> {
  const { client, manager, owner } = ownership
  const created = await apply(ownership, kind, wanted, undefined, false)
  if (recordsIn(created).every((one) => one.manager === manager)) return created
  const { name, namespace, uid } = created.metadata as Stored<ApiObject>['metadata'] & {
    readonly namespace?: string
  }
  const nothing = { metadata: { name, uid, ...(namespace && { namespace }) } }
  await client
    .resource(kind)
    .apply(nothing as unknown as ApplyConfiguration<K>, { manager, force: false })
  throw refused(owner, created, 'is not owned by it')
}

async function apply<K extends ApiObject>(
  { client, cache, manager, applied }: Ownership<K>,
  kind: Kind<K>,
  wanted: ApiObject & NamedObject,
  uid: string | undefined,
  force: boolean,
): Promise<Stored<K>> {
  const metadata = uid === undefined ? wanted.metadata : { ...wanted.metadata, uid }
  const configuration = { ...wanted, metadata } as unknown as ApplyConfiguration<K>
  const answer = await client.resource(kind).apply(configuration, { manager, force })
  const record = recordOf(answer, manager)
  if (record !== undefined) applied.add(answer, wanted, record, cache)
  return answer
}

/** True if the object has every field of the configuration, and the controller manages these fields and no others. */
function saysDraft(
  kind: Kind,
  actual: ApiObject,
  wanted: ApiObject,
  record: ManagedFieldsRecord,
): boolean {
  if (record.apiVersion?.split('/').at(-1) !== kind.version) return false
  const [live, config] = [actual as unknown as Json, wanted as unknown as Json]
  if (!sameFields(fieldsOf(kind, wanted), (record.fieldsV1 ?? {}) as FieldSet)) return false
  return mergeConfig(live, config, kind.merge) === live
}

const unmanaged = new WeakMap<Kind, FieldSet>()

/** The fields that a configuration makes its manager's. */
function fieldsOf(kind: Kind, wanted: ApiObject): FieldSet {
  const stated = statedFields(wanted as unknown as JsonObject, kind.merge, [])
  const reset = kind.applyReset.main ?? []
  let never = unmanaged.get(kind)
  if (never === undefined) {
    never = setOfFields(reset)
    unmanaged.set(kind, never)
  }
  return difference(difference(stated, unmanagedFields), never)
}

/** How often fields may change hands within minutes before it counts as a dispute of two writers. */
const dispute = 3

/** Tells that fields of an unchanged draft are of another manager now, before they are taken back. */
function reportTaken<K extends ApiObject>(
  { applied, log, clock, manager }: Ownership<K>,
  kind: Kind<K>,
  actual: Stored<K>,
  wanted: ApiObject,
  record: ManagedFieldsRecord,
): void {
  if (!applied.isLast(actual, wanted)) return
  const missing = difference(fieldsOf(kind, wanted), (record.fieldsV1 ?? {}) as FieldSet)
  const holders = recordsIn(actual).filter(
    (one) => one !== record && !isEmpty(intersection(missing, (one.fieldsV1 ?? {}) as FieldSet)),
  )
  if (isEmpty(missing)) return
  const times = applied.takenBack(actual, clock.monotonic())
  const facts = {
    ...{ kind: kind.kind, name: actual.metadata.name, manager, times },
    from: holders.map((one) => one.manager ?? '').join(', '),
    fields: printFields(missing).join(', '),
  }
  if (times < dispute) log.info('drift put right', facts)
  else log.warn('two writers dispute fields: only one of them may name these', facts)
}

function refused(
  owner: Stored<ApiObject>,
  { kind, metadata: { name } }: Stored<ApiObject>,
  why: string,
): StatusError {
  const who = `${owner.kind} "${owner.metadata.name}"`
  return new StatusError('Conflict', `${who}: ${kind} "${name}" ${why}`)
}

/**
 * An owner with a namespace owns objects of that namespace only: of any other, a collector finds no owner and deletes them.
 *
 * @throws StatusError `BadRequest` for an object elsewhere.
 */
function refuseForeignOwner(
  kind: Kind,
  owner: Stored<ApiObject>,
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): void {
  const home = owner.metadata.namespace
  if (home === undefined || (kind.scope === 'Namespaced' && namespace === home)) return
  const where = kind.scope === 'Cluster' ? 'in no namespace' : `in namespace "${namespace}"`
  const who = `${owner.kind} "${owner.metadata.name}" of namespace "${home}"`
  const instead = 'write it by client.resource(kind).apply, and let `watching` say whom it wakes'
  throw new StatusError(
    'BadRequest',
    `${who} cannot own ${kind.kind} "${name}" ${where}: ${instead}`,
  )
}
