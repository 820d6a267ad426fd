import type { Client, Draft, NamedDraft } from '../client/client.ts'
import { type CacheReader, objectKey } from '../informer/informer.ts'
import type { Kind } from '../kernel/descriptors/kind.ts'
import { isStatus, StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, NamedObject, Stored } from '../kernel/meta/object.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'
import { createReport } from '../kernel/validation/field-error.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import { controllerOf, ownedBy } from './owner-references.ts'

/**
 * Drafts that a server took without a change, by the cached object that they were about: some defaults only the server
 * knows, and it is not asked about them twice.
 */
export type AcceptedDrafts = WeakMap<ApiObject, ApiObject>

/** Where owned objects are read and written, and for whom. */
export interface Ownership<K extends ApiObject> {
  readonly client: Client
  readonly cache: CacheReader<K>
  readonly owner: Stored<ApiObject>
  readonly acceptedDrafts: AcceptedDrafts
}

/** Makes an object that `owner` controls be as the draft says: see `Context.ensure`. */
export async function ensureOwned<K extends ApiObject>(
  { client, cache, owner, acceptedDrafts }: Ownership<K>,
  kind: Kind<K>,
  draft: NamedDraft<K>,
): Promise<Stored<K>> {
  const wanted = ownedObject(kind, owner, draft)
  const actual = cache.get(objectKey(wanted)) ?? (await createOrGet(client, kind, wanted))
  if (controllerOf(actual)?.uid !== owner.metadata.uid) throw refused(actual, 'is not owned by it')
  if (actual.metadata.deletionTimestamp !== undefined) throw refused(actual, 'is being deleted')
  if (matchesDraft(actual, wanted) || deepEqual(acceptedDrafts.get(actual), wanted)) return actual
  const updated = await client
    .resource(kind)
    .update(mergeDraft(actual, wanted) as unknown as NamedDraft<K>)
  if (updated.metadata.resourceVersion === actual.metadata.resourceVersion) {
    acceptedDrafts.set(actual, wanted)
  }
  return updated

  function refused({ kind, metadata: { name } }: Stored<K>, why: string): StatusError {
    const who = `${owner.kind} "${owner.metadata.name}"`
    return new StatusError('Conflict', `${who}: ${kind} "${name}" ${why}`)
  }
}

/**
 * The draft as a whole object of its kind, with defaults filled in, placed beside its owner. One that breaks the rules
 * of its kind stays as it is: the server says what is wrong with it.
 */
function ownedObject<K extends ApiObject>(
  kind: Kind<K>,
  owner: Stored<ApiObject>,
  draft: NamedDraft<K>,
): K & NamedObject {
  const { namespace = owner.metadata.namespace } = draft.metadata
  refuseForeignOwner(kind, owner, { name: draft.metadata.name, namespace })
  const metadata = {
    ...draft.metadata,
    ...(kind.scope === 'Namespaced' && namespace !== undefined && { namespace }),
    ownerReferences: [ownedBy(owner)],
  }
  const whole = { ...draft, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
  const report = createReport()
  const read = kind.read(whole, report)
  const sound = report.typeErrors.length + report.errors.length === 0
  const named = Object.entries(sound ? read : whole).filter(([field]) => field in whole)
  return { ...Object.fromEntries(named), metadata } as unknown as K & NamedObject
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

/** Creates an object; gives the one that is there already where the cache is behind. */
async function createOrGet<K extends ApiObject>(
  client: Client,
  kind: Kind<K>,
  wanted: K & NamedObject,
): Promise<Stored<K>> {
  const resource = client.resource(kind)
  try {
    return await resource.create(wanted as unknown as Draft<K>)
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
    return resource.get(objectKey(wanted))
  }
}

/** True if an object says what a draft says: its top fields are the same, its labels and annotations are among the object's. */
function matchesDraft(actual: ApiObject, wanted: ApiObject): boolean {
  const { metadata, ...fields } = wanted
  const live = actual as unknown as Record<string, unknown>
  return (
    Object.entries(fields).every(([field, value]) => deepEqual(live[field], value)) &&
    contains(actual.metadata.labels, metadata.labels) &&
    contains(actual.metadata.annotations, metadata.annotations)
  )
}

type Texts = Readonly<Record<string, string>> | undefined

function contains(actual: Texts = {}, wanted: Texts = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => actual[key] === value)
}

/** The object with the top fields of the draft, and with its labels and annotations beside its own. */
function mergeDraft(actual: ApiObject, wanted: ApiObject): ApiObject {
  const { labels, annotations } = wanted.metadata
  return {
    ...actual,
    ...wanted,
    metadata: {
      ...actual.metadata,
      labels: { ...actual.metadata.labels, ...labels },
      annotations: { ...actual.metadata.annotations, ...annotations },
    },
  }
}
