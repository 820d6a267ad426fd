import type { Client } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import { isSameResource } from '../../kernel/descriptors/kind.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { EventFacts } from '../../recorder/recorder.ts'
import type { AnyController, Context, Controller } from '../controller/controller.ts'
import type { DeclaredFields } from '../controller/declared-fields.ts'
import type { KeyContext, KeyController, Watch } from '../controller/key-controller.ts'
import { done, type Outcome } from '../controller/outcome.ts'
import { ownedOf } from '../controller/owned.ts'
import { fieldsOfKinds, wholeKinds } from '../controller/writing.ts'
import { AppliedDrafts } from './applied-drafts.ts'
import { ensureOwned } from './ensure.ts'
import { addFinalizer, removeFinalizer } from './finalizers.ts'
import { ownerKey } from './owner-references.ts'
import { patchStatus } from './patch-status.ts'

/** The name of the index from the uid of an owner to the objects that it controls. */
export const ownerIndex = 'owner'

/** A controller of objects as a controller of their keys: it runs where there is an object. */
export function keyController<T extends ApiObject>(controller: Controller<T>): KeyController {
  const { name, for: kind, concurrency, timeoutMs, sources, resyncMs, queue, clusters } = controller
  const applied = new AppliedDrafts()
  return {
    name,
    watches: watchesOf(controller),
    ...declaredKinds(controller),
    ...(concurrency !== undefined && { concurrency }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(sources !== undefined && { sources }),
    ...(resyncMs !== undefined && { resyncMs }),
    ...(queue !== undefined && { queue }),
    ...(clusters !== undefined && { clusters }),
    async reconcile(key, context) {
      const object = context.cached(kind).get(key)
      if (object === undefined) return controller.deleted?.(key, context) ?? done
      const contextOf = (of: Stored<T>) => objectContext(controller, of, context, applied)
      return object.metadata.deletionTimestamp === undefined
        ? reconcile(controller, object, context.client, contextOf)
        : cleanUp(controller, object, context.client, contextOf)
    },
  }
}

/** Everything that wakes a controller: its own kind, what it owns, what it watches. */
function watchesOf({ for: kind, scope, owns, watches = [] }: AnyController): readonly Watch[] {
  const own = { ...scope, kind, keys: (object: Stored<ApiObject>) => [objectKey(object)] } as Watch
  const owned = ownedOf(owns).map(({ owns: each, scope: within }) => ({
    ...within,
    kind: each,
    keys: (object: Stored<ApiObject>) =>
      [ownerKey(kind, object)].filter((key) => key !== undefined),
  }))
  return [own, ...(owned as Watch[]), ...watches]
}

/**
 * What a controller that declares further kinds may read and write: with them its own kind, and what it owns. Of a kind whose fields it
 * declares these, and what it writes anyway: its finalizer, and of what it makes who owns it.
 */
function declaredKinds({ for: kind, owns, reads, writes, scales, cleanup }: AnyController) {
  if (reads === undefined && writes === undefined && scales === undefined) return {}
  const owned = ownedOf(owns).map(({ owns: each }) => each)
  const fields = fieldsOfKinds(writes).map((one): DeclaredFields => {
    const makes = owned.some((each) => isSameResource(each, one.writes))
    const isOwn = cleanup !== undefined && isSameResource(kind, one.writes)
    const further = [
      ...(isOwn ? ['metadata.finalizers'] : []),
      ...(makes ? ['metadata.ownerReferences', 'metadata.managedFields'] : []),
    ]
    return { ...one, makes, fields: [...one.fields, ...further] }
  })
  const both = {
    reads: reads ?? [],
    writes: [kind, ...owned, ...wholeKinds(writes), ...fields],
  }
  return scales === undefined ? both : { ...both, scales }
}

/** The finalizer is on the object before the first run that might leave something behind. */
async function reconcile<T extends ApiObject>(
  controller: Controller<T>,
  object: Stored<T>,
  client: Client,
  contextOf: (object: Stored<T>) => Context<T>,
): Promise<Outcome> {
  const { for: kind, cleanup } = controller
  const kept =
    cleanup === undefined ? object : await addFinalizer(client, kind, object, cleanup.finalizer)
  return controller.reconcile(kept, contextOf(kept))
}

/** The finalizer goes only after its cleanup said `done`. */
async function cleanUp<T extends ApiObject>(
  { for: kind, cleanup }: Controller<T>,
  object: Stored<T>,
  client: Client,
  contextOf: (object: Stored<T>) => Context<T>,
): Promise<Outcome> {
  if (cleanup === undefined || !object.metadata.finalizers?.includes(cleanup.finalizer)) return done
  const outcome = await cleanup.run(object, contextOf(object))
  if (outcome.is === 'done') await removeFinalizer(client, kind, object, cleanup.finalizer)
  return outcome
}

/** What one run over one object works with. */
function objectContext<T extends ApiObject>(
  { name, for: kind, writes }: Controller<T>,
  object: Stored<T>,
  context: KeyContext,
  applied: AppliedDrafts,
): Context<T> {
  const { client, cached, log, clock } = context
  const manager = managerOf(client, name)
  const own = fieldsOfKinds(writes).find((one) => isSameResource(one.writes, kind))
  const writesPart = own !== undefined && !own.fields.includes('status')
  let latest = object
  return {
    ...context,
    event(first: Stored<ApiObject> | EventFacts, second?: EventFacts) {
      if (second === undefined) context.event(object, first as EventFacts)
      else context.event(first as Stored<ApiObject>, second)
    },
    owned: (owned) => cached(owned).index(ownerIndex, object.metadata.uid),
    ensure: (owned, draft, options) =>
      ensureOwned(
        { client, cache: cached(owned), owner: object, manager, applied, log, clock },
        owned,
        draft,
        options,
      ),
    async setStatus(status) {
      const { status: last } = latest as { readonly status?: unknown }
      if (deepEqual(last, status)) return
      latest = writesPart
        ? await patchStatus(client.resource(kind), latest, status)
        : await client.resource(kind).updateStatus({ ...latest, status })
    },
  }
}

/** The most characters that a server takes for a field manager. */
const longestManager = 128

/** The field manager of a controller: two of one program are two managers, and know of each other's fields. */
function managerOf({ manager }: Client, controller: string): string {
  return `${manager}/${controller}`.slice(-longestManager)
}
