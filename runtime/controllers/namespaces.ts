import type { Client } from '../client/client.ts'
import { objectKey } from '../informer/informer.ts'
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { again, done, type KeyController, type Outcome, watching } from '../reconcile/reconcile.ts'
import { type RemainingContent, withDeletionConditions } from './namespace-conditions.ts'

/** What namespaces are, and what they may hold. */
export interface NamespaceControllerOptions {
  /** The kind of namespaces. */
  readonly kind: AnyKind
  readonly platform: Pick<Platform, 'brand'>
  /** The kinds that are served now, of which the namespaced ones are what a namespace may hold. Default: as the client says. */
  readonly kinds?: () => readonly AnyKind[]
  /** Namespaces that are emptied at a time. Default 10. */
  readonly concurrency?: number
}

/** How long to wait before looking again at a namespace whose objects are still going. */
const minRetryMs = 100
const maxRetryMs = 5_000

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
  kinds,
  concurrency = 10,
}: NamespaceControllerOptions): KeyController {
  return {
    name: 'namespace-controller',
    watches: [watching(kind, (namespace) => [objectKey(namespace)])],
    concurrency,
    timeoutMs: 600_000,
    async reconcile({ name }, { client, cached, clock }) {
      const namespace = cached(kind).get({ name })
      if (namespace?.metadata.deletionTimestamp === undefined) return done
      const served = kinds?.() ?? (await client.kinds())
      const remaining = await deleteContent(client, served, name)
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
  const retryMs = Math.min(maxRetryMs, Math.max(minRetryMs, elapsedMs / 2))
  if (remaining.objects.size > 0 || remaining.failures.length > 0) return { status, retryMs }
  const finalizers = namespace.spec?.finalizers?.filter((one) => one !== brand) ?? []
  return { status, finalizers, retryMs }
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
    const current = await namespaces.update({ ...namespace, status }, { subresource: 'status' })
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
  client: Client,
  served: readonly AnyKind[],
  namespace: string,
): Promise<RemainingContent> {
  const objects = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const failures: string[] = []
  for (const kind of resourcesOf(served)) {
    try {
      for (const { metadata } of await deleteCollection(client, kind, namespace)) {
        increment(objects, resourceName(kind))
        for (const one of metadata.finalizers ?? []) increment(finalizers, one)
      }
    } catch (error) {
      failures.push(`${resourceName(kind)}: ${isStatus(error) ? error.message : String(error)}`)
    }
  }
  return { objects, finalizers, failures }
}

/** What a namespace may hold, each resource in one version. */
function resourcesOf(served: readonly AnyKind[]): Iterable<AnyKind> {
  const resources = new Map<string, AnyKind>()
  for (const kind of served) {
    const isContent = kind.scope === 'Namespaced' && kind.verbs.includes('list')
    const name = resourceName(kind)
    if (isContent && kind.verbs.includes('delete') && !resources.has(name))
      resources.set(name, kind)
  }
  return resources.values()
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
