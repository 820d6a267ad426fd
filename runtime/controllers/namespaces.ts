import type { Client } from '../client/client.ts'
import { objectKey } from '../informer/informer.ts'
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import { again, done, type KeyController, type Outcome, watching } from '../reconcile/reconcile.ts'
import { type RemainingContent, withDeletionConditions } from './namespace-conditions.ts'

/** What namespaces are, and what they may hold. */
export interface NamespaceControllerOptions {
  /** The kind of namespaces. */
  readonly kind: AnyKind
  readonly platform: Pick<Platform, 'brand'>
  /** What is served now, of which the namespaced kinds are what a namespace may hold. Default: as the client of the run says. */
  readonly served?: (signal: AbortSignal) => Promise<readonly ServedContent[]>
  /** Namespaces that are emptied at a time. Default 10. */
  readonly concurrency?: number
}

/** Kinds that one client reaches. */
export interface ServedContent {
  readonly client: Client
  readonly kinds: readonly AnyKind[]
  /** Group versions of another server that cannot be asked: a namespace waits for it. */
  readonly unknown: readonly string[]
}

/** How long to wait before looking again at a namespace whose objects are still going. */
const minRetryMs = 100
const maxRetryMs = 5_000

/** How long a look at the resources that still had objects does without one at all the others. Nothing is created there meanwhile. */
const maxSweepMs = 300_000

/** What a look at everything in a terminating namespace found. */
interface Sweep {
  readonly uid: string
  /** Names of the resources that had objects, or failed. */
  readonly resources: ReadonlySet<string>
  /** When everything is looked at again. */
  readonly nextAt: number
}

/**
 * Empties terminating namespaces: deletes what they hold, then takes the platform's finalizer off.
 *
 *   reads    Namespace; every namespaced kind
 *   writes   Namespace: status, finalize; every namespaced kind: deletecollection
 *   wakes    when a Namespace changes, and again while it still holds something: after a look at everything only what held something is
 *            asked for, and everything again once that is empty, or from time to time
 *   settles  when a terminating namespace is empty and without the finalizer
 */
export function namespaceController({
  kind,
  platform,
  served,
  concurrency = 10,
}: NamespaceControllerOptions): KeyController {
  const sweeps = new Map<string, Sweep>()
  return {
    name: 'namespace-controller',
    watches: [watching(kind, (namespace) => [objectKey(namespace)])],
    concurrency,
    timeoutMs: 600_000,
    async reconcile({ name }, { client, cached, clock, signal }) {
      const namespace = cached(kind).get({ name })
      const { uid, deletionTimestamp } = namespace?.metadata ?? {}
      if (uid === undefined || deletionTimestamp === undefined) {
        sweeps.delete(name)
        return done
      }
      const content = (await served?.(signal)) ?? [{ client, ...(await client.discover(signal)) }]
      const last = sweeps.get(name)
      const isKnown = last !== undefined && last.uid === uid && clock.now() < last.nextAt
      const some = isKnown && (await deleteContent(content, name, last.resources))
      const isWaiting = some && some.resources.size + some.unknown.length > 0
      const remaining = isWaiting ? some : await deleteContent(content, name)
      if (!isWaiting) {
        const wait = Math.min(
          maxSweepMs,
          Math.max(maxRetryMs, sinceDeletion(namespace, clock.now())),
        )
        sweeps.set(name, { uid, resources: remaining.resources, nextAt: clock.now() + wait })
      }
      const current = await client.resource<Namespace>(kind).find(name)
      if (current === undefined) return done
      const plan = decideNamespace({ namespace: current, remaining }, clock.now(), platform)
      return applyPlan(client, kind, current, plan)
    },
  }
}

/** What is to be done about a terminating namespace. */
export interface NamespacePlan {
  readonly status: object
  /** What stays of the finalizers of its spec; absent while the namespace holds something. */
  readonly finalizers?: readonly string[]
  /** When to look again, in milliseconds. */
  readonly retryMs: number
}

/** What is to be done, by what a namespace still holds. The wait grows with the time since it was deleted. */
export function decideNamespace(
  {
    namespace,
    remaining,
  }: { readonly namespace: Stored<Namespace>; readonly remaining: RemainingContent },
  now: number,
  { brand }: Pick<Platform, 'brand'>,
): NamespacePlan {
  const { status = {} } = withDeletionConditions(namespace, remaining, now) as Namespace
  const retryMs = Math.min(maxRetryMs, Math.max(minRetryMs, sinceDeletion(namespace, now) / 2))
  const { objects, failures, unknown } = remaining
  if (objects.size + failures.length + unknown.length > 0) return { status, retryMs }
  const finalizers = namespace.spec?.finalizers?.filter((one) => one !== brand) ?? []
  return { status, finalizers, retryMs }
}

/** Milliseconds since an object was deleted. */
function sinceDeletion({ metadata }: ApiObject, now: number): number {
  const deleted = Date.parse(metadata.deletionTimestamp ?? '')
  return Number.isNaN(deleted) ? 0 : now - deleted
}

interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: object
}

/** Writes the status, then takes the finalizer off if the namespace is empty. One that is gone meanwhile is done. */
async function applyPlan(
  client: Client,
  kind: AnyKind,
  namespace: Stored<Namespace>,
  { status, finalizers, retryMs }: NamespacePlan,
): Promise<Outcome> {
  const namespaces = client.resource<Namespace>(kind)
  try {
    const isTold = deepEqual(namespace.status, status)
    const current = isTold
      ? namespace
      : await namespaces.update({ ...namespace, status }, { subresource: 'status' })
    if (finalizers === undefined) return again(retryMs)
    const spec = { ...current.spec, finalizers }
    await namespaces.update({ ...current, spec }, { subresource: 'finalize' })
    return done
  } catch (error) {
    if (isStatus(error, 'NotFound')) return done
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    throw error
  }
}

/** What is left, and of which resources: those with objects and those that failed, by name. */
interface Content extends RemainingContent {
  readonly resources: ReadonlySet<string>
}

/** Deletes everything in a namespace, or the objects of some resources, and gives what is left. One kind that fails does not hold the others up. */
async function deleteContent(
  served: readonly ServedContent[],
  namespace: string,
  only?: ReadonlySet<string>,
): Promise<Content> {
  const objects = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const resources = new Set<string>()
  const failures: string[] = []
  for (const { client, kind } of served.flatMap(resourcesOf)) {
    const name = resourceName(kind)
    if (only?.has(name) === false) continue
    try {
      const left = await deleteCollection(client, kind, namespace)
      if (left.length > 0) resources.add(name)
      for (const { metadata } of left) {
        increment(objects, `${kind.plural}.${kind.group}`)
        for (const one of metadata.finalizers ?? []) increment(finalizers, one)
      }
      if (left.some(isUnexpected)) {
        const resource = `${kind.group}/${kind.version}, Resource=${kind.plural}`
        failures.push(
          `unexpected items still remain in namespace: ${namespace} for gvr: ${resource}`,
        )
      }
    } catch (error) {
      resources.add(name)
      failures.push(isStatus(error) ? error.message : String(error))
    }
  }
  const unknown = served.flatMap((one) => one.unknown)
  return { objects, finalizers, failures, unknown, resources }
}

/** True for an object whose deletion had no effect. */
function isUnexpected({ metadata }: Stored<ApiObject>): boolean {
  return metadata.deletionTimestamp === undefined
}

/** What a namespace may hold, each resource in one version. */
function resourcesOf({ client, kinds }: ServedContent) {
  const resources = new Map<string, AnyKind>()
  for (const kind of kinds) {
    const isContent = kind.scope === 'Namespaced' && kind.verbs.includes('list')
    const name = resourceName(kind)
    if (isContent && kind.verbs.includes('delete') && !resources.has(name))
      resources.set(name, kind)
  }
  return [...resources.values()].map((kind) => ({ client, kind }))
}

/** Deletes the objects of one kind in a namespace, unless all of them are going; gives those that are still there. */
async function deleteCollection(
  client: Client,
  kind: AnyKind,
  namespace: string,
): Promise<readonly Stored<ApiObject>[]> {
  const resource = client.resource<ApiObject>(kind).in(namespace)
  const { items } = await resource.listAll()
  if (!items.some(isUnexpected)) return items
  if (kind.verbs.includes('deletecollection')) await resource.deleteCollection({})
  else for (const each of items) await resource.delete(each)
  return (await resource.listAll()).items
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
