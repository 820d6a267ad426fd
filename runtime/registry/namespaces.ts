import type { AnyKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import { isStatus } from '../kernel/status.ts'
import { type Clock, pause } from '../kernel/time.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import { namespaceKind } from './context.ts'
import type { Registry, WatchEvent } from './registry.ts'

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
  const kind = namespaceKind(registry.tree)
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
      if (await isEmptied(registry, name)) return await release(registry, kind, name)
    } catch (error) {
      if (isStatus(error, 'NotFound') || signal.aborted) return
      log.error('namespace cannot be emptied', { namespace: name }, error)
    }
    await pause(clock, waitMs, signal)
  }
}

/** Deletes everything in the namespace; true once nothing is left. */
async function isEmptied(registry: Registry, namespace: string): Promise<boolean> {
  const kinds = Object.values(registry.tree.routes).filter(({ scope }) => scope === 'Namespaced')
  let left = 0
  for (const kind of kinds) {
    await registry.deleteCollection({ kind, namespace }, {}, { dryRun: false })
    left += (await registry.list({ kind, namespace }, {})).items.length
  }
  return left === 0
}

async function release(registry: Registry, kind: AnyKind, name: string): Promise<void> {
  const { brand, prefix } = registry.tree.platform
  const current = (await registry.get({ kind, name }, {})).object() as NamespaceLike
  const finalizers = (current.spec?.finalizers ?? []).filter((one) => one !== brand)
  const value = { ...current, spec: { ...current.spec, finalizers } } as never
  await registry.update(
    { kind, name, subresource: 'finalize' },
    { value, duplicates: [] },
    { dryRun: false, fieldValidation: 'Ignore', manager: `${prefix}-apiserver` },
  )
}

interface NamespaceLike extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
}
