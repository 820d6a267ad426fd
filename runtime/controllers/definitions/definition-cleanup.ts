import type { Definition } from '../../apiextensions/apiextensions.ts'
import type { Client } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { type Condition, upsertCondition } from '../../kernel/meta/status-conditions.ts'
import {
  again,
  done,
  type KeyController,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import { withoutConversion } from '../../registry/registry.ts'
import type { DefinedKinds } from './defined-kinds.ts'

/** Whose objects are deleted. */
export interface DefinitionCleanupOptions {
  /** The kind of definitions. */
  readonly kind: AnyKind
  readonly kinds: DefinedKinds
  readonly platform: Platform
}

/** How long to wait before looking again at a definition whose objects are still going. */
const minRetryMs = 50
const maxRetryMs = 5_000

/**
 * Deletes the objects of a definition that is being deleted, then takes the finalizer off.
 *
 *   reads    CustomResourceDefinition; the kind that it makes
 *   writes   CustomResourceDefinition: status, finalizers; the kind that it makes: deletecollection
 *   wakes    when a definition changes, and again while objects of it are left
 *   settles  when the last object is gone
 */
export function definitionCleanupController(options: DefinitionCleanupOptions): KeyController {
  const { kind, kinds, platform } = options
  const finalizer = `customresourcecleanup.apiextensions.${platform.api}`
  return {
    name: 'custom-resource-cleanup',
    watches: [
      watching<Definition>(kind, (definition) => [objectKey(definition)], {
        transform: kinds.shared,
      }),
    ],
    timeoutMs: 600_000,
    async reconcile(key, { client, cached, clock }) {
      const { metadata } = cached<Definition>(kind).get(key) ?? {}
      if (metadata?.deletionTimestamp === undefined) return done
      if (!metadata.finalizers?.includes(finalizer)) return done
      if (!kinds.has(key.name)) return again(minRetryMs)
      const deletion = await deleteObjects(client, kinds, key.name)
      const current = await client.resource<Definition>(kind).find(key)
      if (current === undefined) return done
      const plan = decideCleanup({ definition: current, ...deletion }, clock.now(), finalizer)
      return applyPlan(client, kind, current, plan)
    },
  }
}

/** What a definition that goes is to say, and whether it may. */
export interface CleanupPlan {
  readonly conditions: readonly Condition[]
  /** The finalizers that stay; absent while objects are left. */
  readonly finalizers?: readonly string[]
  /** When to look again, in milliseconds. */
  readonly retryMs: number
}

/** How far the deletion of a definition's objects is. */
interface Deletion {
  /** How many objects are left; of those that could not be counted, at least one. */
  readonly left: number
  /** What refused to delete or list them. */
  readonly failure?: string
}

/** What a definition is to say while it goes, by how many objects are left, and whether it may go. */
export function decideCleanup(
  { definition, left, failure }: Deletion & { readonly definition: Stored<Definition> },
  now: number,
  finalizer: string,
): CleanupPlan {
  const { deletionTimestamp = '', finalizers = [] } = definition.metadata
  const elapsedMs = now - Date.parse(deletionTimestamp)
  const retryMs = Math.min(maxRetryMs, Math.max(minRetryMs, elapsedMs / 2))
  const before = definition.status?.conditions ?? []
  const found = failure !== undefined ? failed(failure) : left === 0 ? completed : inProgress(left)
  const conditions = upsertCondition(before, found, now)
  if (left > 0) return { conditions, retryMs }
  return { conditions, finalizers: finalizers.filter((one) => one !== finalizer), retryMs }
}

const completed: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
}

/** The condition while objects are left. */
function inProgress(left: number): Condition {
  return {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: `CustomResource deletion is in progress: ${left} left`,
  }
}

/** The condition where objects cannot be deleted. */
function failed(message: string): Condition {
  return { type: 'Terminating', status: 'True', reason: 'InstanceDeletionFailed', message }
}

/** Writes the conditions where they changed, then takes the finalizer off if the definition may go. */
async function applyPlan(
  client: Client,
  kind: AnyKind,
  definition: Stored<Definition>,
  { conditions, finalizers, retryMs }: CleanupPlan,
): Promise<Outcome> {
  const resource = client.resource<Definition>(kind)
  const isChanged = conditions !== definition.status?.conditions
  const status = { ...definition.status, conditions }
  const current = isChanged ? await resource.updateStatus({ ...definition, status }) : definition
  if (finalizers === undefined) return again(retryMs)
  await resource.update({ ...current, metadata: { ...current.metadata, finalizers } })
  return done
}

/** Deletes the objects, and gives how many are still there. What plugins refuse is a failure, and tried again. */
async function deleteObjects(client: Client, kinds: DefinedKinds, name: string): Promise<Deletion> {
  const stored = kinds.kindsOf(name).find(({ kind }) => kind.storageVersion === undefined)
  if (stored === undefined) return { left: 0 }
  const resource = client.resource<ApiObject>(withoutConversion(stored.kind))
  try {
    await resource.deleteCollection({})
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { left: 1, failure: `could not issue all deletes: ${error.message}` }
  }
  return { left: (await resource.listAll()).items.length }
}
