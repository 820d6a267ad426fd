import { isObject } from '../kernel/json.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import { isStatus } from '../kernel/status.ts'
import {
  ambiguous,
  type Budget,
  budgetRoute,
  budgetsOf,
  disrupted,
  evicted,
  isFreeToGo,
} from '../kinds/kinds.ts'
import { change } from './change.ts'
import type { Context } from './context.ts'
import { checkPreconditions, remove } from './delete.ts'
import { deleteOptionsOf } from './delete-options.ts'
import { list } from './list.ts'
import { get } from './read.ts'
import type { DeleteOptions, Target, WriteOptions } from './registry.ts'

/**
 * Deletes a pod if its disruption budget allows it: pays with the budget first, then marks the pod, then deletes it. A
 * failure after the payment costs the budget until its controller counts again, never a pod too many.
 */
export async function evict(
  context: Context,
  target: Target,
  order: ApiObject,
  write: WriteOptions,
): Promise<void> {
  const { subresource, ...whole } = target
  const given = (order as { readonly deleteOptions?: unknown }).deleteOptions
  const asked = deleteOptionsOf(
    isObject(given as never) ? (given as never) : {},
    context.tree.platform,
  )
  const dryRun = write.dryRun || asked.dryRun
  const options = { ...asked, dryRun }
  for (;;) {
    const pod = (await get(context, whole, {})).object()
    checkPreconditions(whole, options, pod)
    if (!isFreeToGo(pod)) {
      const bound = await disrupt(context, target, { ...write, dryRun }, options, pod)
      await remove(context, whole, bound)
      return
    }
    try {
      await remove(context, whole, pinned(pod, options))
      return
    } catch (error) {
      if (!isStatus(error, 'Conflict') || options.preconditions?.resourceVersion) throw error
    }
  }
}

/** A pod that is free to go is deleted as it was seen: another look is taken if it has begun to run meanwhile. */
function pinned({ metadata }: ApiObject, options: DeleteOptions): DeleteOptions {
  const { uid, resourceVersion } = metadata
  return {
    ...options,
    preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
  }
}

async function disrupt(
  context: Context,
  target: Target,
  write: WriteOptions,
  options: DeleteOptions,
  pod: ApiObject,
): Promise<DeleteOptions> {
  const { uid } = pod.metadata
  await pay(context, target, write, pod)
  const marked = await mark(context, target, write, options)
  const version = options.preconditions?.resourceVersion && marked
  return {
    ...options,
    preconditions: { ...(uid && { uid }), ...(version && { resourceVersion: version }) },
  }
}

async function pay(
  context: Context,
  target: Target,
  options: WriteOptions,
  pod: ApiObject,
): Promise<void> {
  const kind = budgetKind(context)
  const { namespace } = target
  if (kind === undefined || namespace === undefined) return
  for (;;) {
    const listed = await list(context, { kind, namespace }, {})
    const all = listed.items.map((item) => item.object() as Budget)
    const [budget, ...more] = budgetsOf(pod, all)
    if (more.length > 0) throw ambiguous()
    const paid = budget && disrupted(budget, pod, context.clock.now())
    if (paid === undefined) return
    const place = { kind, namespace, name: paid.metadata.name ?? '', subresource: 'status' }
    try {
      const draft = { object: paid, findings: [], warnings: [] }
      if ((await change(context, place, options, () => draft)) !== undefined) return
    } catch (error) {
      if (!isStatus(error, 'Conflict')) throw error
    }
  }
}

function budgetKind({ tree }: Context): AnyKind | undefined {
  return Object.hasOwn(tree.routes, budgetRoute) ? tree.routes[budgetRoute] : undefined
}

/** Says on the pod why it goes, under the preconditions of the deletion; gives the version that this makes. */
async function mark(
  context: Context,
  target: Target,
  write: WriteOptions,
  { preconditions }: DeleteOptions,
): Promise<string | undefined> {
  const written = await change(context, target, write, (current) => {
    const pod = evicted(current.object(), context.clock.now())
    const metadata = { ...pod.metadata, ...preconditions }
    return { object: { ...pod, metadata }, findings: [], warnings: [] }
  })
  return written?.item.object().metadata.resourceVersion
}
