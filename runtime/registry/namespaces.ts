import { type RemainingContent, withDeletionConditions } from '../apis/apis.ts'
import { type Clock, pause } from '../kernel/async/clock.ts'
import { type AnyKind, resourceName } from '../kernel/descriptors/kind.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { Json } from '../kernel/values/json.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import { namespaceKind } from './contract/context.ts'
import type { Item, Registry, Target, WatchEvent, WriteOptions } from './contract/contract.ts'
import { withoutConversion } from './storage/without-conversion.ts'

/** How long to wait before looking again at a namespace whose objects are still going. */
const firstRetryMs = 100
const lastRetryMs = 5_000

export interface EmptyOptions {
  readonly clock: Clock
  readonly log?: Log
}

/**
 * Empties terminating namespaces: deletes what they hold, then takes the platform's finalizer off. Runs until `signal`
 * aborts; does nothing while no namespace is terminating.
 */
export async function emptyNamespaces(
  registry: Registry,
  options: EmptyOptions,
  signal: AbortSignal,
): Promise<void> {
  const kind = namespaceKind(registry.scheme)
  const { log = silentLog, clock } = options
  const under = new Map<string, Promise<void>>()
  while (kind !== undefined && !signal.aborted) {
    try {
      for await (const events of registry.watch({ kind }, { bookmarks: false }, signal)) {
        for (const name of terminating(events)) {
          if (under.has(name)) continue
          const emptying = emptyAndRelease(registry, kind, name, options, signal)
          under.set(
            name,
            emptying.finally(() => under.delete(name)),
          )
        }
      }
    } catch (error) {
      log.warn('namespace watch ended', { reason: isStatus(error) ? error.reason : String(error) })
      await pause(clock, firstRetryMs, signal)
    }
  }
  await Promise.all(under.values())
}

function terminating(events: readonly WatchEvent[]): readonly string[] {
  return events
    .filter(({ type }) => type !== 'DELETED' && type !== 'BOOKMARK')
    .map(({ item }) => item.object().metadata)
    .filter(({ deletionTimestamp }) => deletionTimestamp !== undefined)
    .map(({ name = '' }) => name)
}

async function emptyAndRelease(
  registry: Registry,
  kind: AnyKind,
  name: string,
  { clock, log = silentLog }: EmptyOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
    try {
      const remains = await emptied(registry, name)
      await tell(registry, kind, name, remains, clock.now())
      if (remains.objects.size === 0 && remains.failures.length === 0) {
        return await release(registry, kind, name)
      }
    } catch (error) {
      if (isStatus(error, 'NotFound') || signal.aborted) return
      if (isStatus(error, 'Conflict')) continue
      log.error('namespace cannot be emptied', { namespace: name }, error)
    }
    await pause(clock, waitMs, signal)
  }
}

/** Deletes everything in the namespace as it is stored, and says what is left. One kind that fails does not hold the others up. */
async function emptied(registry: Registry, namespace: string): Promise<RemainingContent> {
  const objects = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const failures: string[] = []
  for (const kind of new Set(Object.values(registry.scheme.routes).map(withoutConversion))) {
    if (kind.scope !== 'Namespaced' || !kind.verbs.includes('list')) continue
    try {
      for (const item of await emptiedOf(registry, { kind, namespace })) {
        add(objects, resourceName(kind))
        for (const one of item.object().metadata.finalizers ?? []) add(finalizers, one)
      }
    } catch (error) {
      failures.push(`${resourceName(kind)}: ${isStatus(error) ? error.message : String(error)}`)
    }
  }
  return { objects, finalizers, failures }
}

async function emptiedOf(registry: Registry, target: Target): Promise<readonly Item[]> {
  await registry.deleteCollection(target, {}, { dryRun: false })
  return (await registry.list(target, {})).items
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

async function tell(
  registry: Registry,
  kind: AnyKind,
  name: string,
  remains: RemainingContent,
  now: number,
): Promise<void> {
  const current = (await registry.get({ kind, name }, {})).object()
  const { status } = withDeletionConditions(current, remains, now) as { readonly status?: Json }
  const body = { value: { status: status ?? null }, duplicates: [] }
  await registry.patch({ kind, name, subresource: 'status' }, 'merge', body, writerOf(registry))
}

async function release(registry: Registry, kind: AnyKind, name: string): Promise<void> {
  const { brand } = registry.scheme.platform
  const current = (await registry.get({ kind, name }, {})).object() as NamespaceLike
  const finalizers = (current.spec?.finalizers ?? []).filter((one) => one !== brand)
  const value = { ...current, spec: { ...current.spec, finalizers } } as never
  await registry.update(
    { kind, name, subresource: 'finalize' },
    { value, duplicates: [] },
    writerOf(registry),
  )
}

function writerOf({ scheme }: Registry): WriteOptions {
  return {
    dryRun: false,
    fieldValidation: 'Ignore',
    manager: `${scheme.platform.prefix}-apiserver`,
  }
}

interface NamespaceLike extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
}
