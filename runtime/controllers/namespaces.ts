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
const maxRetryMs = 30_000

/**
 * Empties terminating namespaces: deletes what they hold, then takes the platform's finalizer off.
 *
 *   reads    Namespace; every namespaced kind
 *   writes   Namespace: status, finalize; every namespaced kind: deletecollection
 *   wakes    when a Namespace changes, and again while it still holds something
 *   settles  when a terminating namespace is empty and without the finalizer
 */
export function namespaceController({
  kind,
  platform,
  served,
  concurrency = 10,
}: NamespaceControllerOptions): KeyController {
  return {
    name: 'namespace-controller',
    watches: [watching(kind, (namespace) => [objectKey(namespace)])],
    concurrency,
    timeoutMs: 600_000,
    async reconcile({ name }, { client, cached, clock, signal }) {
      const namespace = cached(kind).get({ name })
      if (namespace?.metadata.deletionTimestamp === undefined) return done
      const content = (await served?.(signal)) ?? [{ client, ...(await client.discover(signal)) }]
      const remaining = await deleteContent(content, name)
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
  const deleted = Date.parse(namespace.metadata.deletionTimestamp ?? '')
  const elapsedMs = Number.isNaN(deleted) ? 0 : now - deleted
  const retryMs = Math.min(maxRetryMs, Math.max(minRetryMs, elapsedMs / 4))
  const { objects, failures, unknown } = remaining
  if (objects.size + failures.length + unknown.length > 0) return { status, retryMs }
  const finalizers = namespace.spec?.finalizers?.filter((one) => one !== brand) ?? []
  return { status, finalizers, retryMs }
}

interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: object
}

/** Writes the status if it is another one, then takes the finalizer off if the namespace is empty. One that is gone meanwhile is done. */
async function applyPlan(
  client: Client,
  kind: AnyKind,
  namespace: Stored<Namespace>,
  { status, finalizers, retryMs }: NamespacePlan,
): Promise<Outcome> {
  const namespaces = client.resource<Namespace>(kind)
  try {
    const current = deepEqual(namespace.status, status)
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

/** Deletes everything in a namespace, and gives what is left. One kind that fails does not hold the others up. */
async function deleteContent(
  served: readonly ServedContent[],
  namespace: string,
): Promise<RemainingContent> {
  const objects = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const failures: string[] = []
  for (const { client, kind } of served.flatMap(resourcesOf)) {
    try {
      const left = await deleteCollection(client, kind, namespace)
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
      failures.push(isStatus(error) ? error.message : String(error))
    }
  }
  return { objects, finalizers, failures, unknown: served.flatMap(({ unknown }) => unknown) }
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

/** Deletes the objects of one kind in a namespace; gives those that are still there. */
async function deleteCollection(
  client: Client,
  kind: AnyKind,
  namespace: string,
): Promise<readonly Stored<ApiObject>[]> {
  const resource = client.resource<ApiObject>(kind).in(namespace)
  if (kind.verbs.includes('deletecollection')) await resource.deleteCollection({})
  else for (const each of (await resource.listAll()).items) await resource.delete(each)
  return (await resource.listAll()).items
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
