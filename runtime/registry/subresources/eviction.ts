import {
  afterEviction,
  budgetRoute,
  canIgnoreBudgets,
  type DisruptionBudget,
  matchingBudgets,
  multipleBudgetsError,
  withDisruptionTarget,
} from '../../apis/apis.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { isObject } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { DeleteOptions, Target, WriteOptions } from '../contract/contract.ts'
import { deleteObject } from '../verbs/delete.ts'
import { readDeleteOptions } from '../verbs/delete-options.ts'
import { get } from '../verbs/get.ts'
import { list } from '../verbs/list.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { checkDeletePreconditions } from '../write/preconditions.ts'

/**
 * Deletes a pod if its disruption budget allows it: pays with the budget first, then marks the pod, then deletes it. A
 * failure after the payment costs the budget until its controller counts again, never a pod too many.
 */
export async function evictPod(
  context: RegistryContext,
  target: Target,
  order: ApiObject,
  write: WriteOptions,
): Promise<void> {
  const { subresource, ...whole } = target
  const given = (order as { readonly deleteOptions?: unknown }).deleteOptions
  const asked = readDeleteOptions(
    isObject(given as never) ? (given as never) : {},
    context.scheme.platform,
  )
  const dryRun = write.dryRun || asked.dryRun
  const options = { ...asked, dryRun }
  for (;;) {
    const pod = (await get(context, whole, {})).object()
    checkDeletePreconditions(whole, options, pod)
    if (!canIgnoreBudgets(pod)) {
      const bound = await disrupt(context, target, { ...write, dryRun }, options, pod)
      await deleteObject(context, whole, bound)
      return
    }
    try {
      await deleteObject(context, whole, withSeenVersion(pod, options))
      return
    } catch (error) {
      if (!isStatus(error, 'Conflict') || options.preconditions?.resourceVersion) throw error
    }
  }
}

/** A pod that is free to go is deleted as it was seen: another look is taken if it has begun to run meanwhile. */
function withSeenVersion({ metadata }: ApiObject, options: DeleteOptions): DeleteOptions {
  const { uid, resourceVersion } = metadata
  return {
    ...options,
    preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
  }
}

async function disrupt(
  context: RegistryContext,
  target: Target,
  write: WriteOptions,
  options: DeleteOptions,
  pod: ApiObject,
): Promise<DeleteOptions> {
  const { uid } = pod.metadata
  await decrementBudget(context, target, write, pod)
  const marked = await setDisruptionCondition(context, target, write, options)
  const version = options.preconditions?.resourceVersion && marked
  return {
    ...options,
    preconditions: { ...(uid && { uid }), ...(version && { resourceVersion: version }) },
  }
}

async function decrementBudget(
  context: RegistryContext,
  target: Target,
  options: WriteOptions,
  pod: ApiObject,
): Promise<void> {
  const kind = disruptionBudgetKind(context)
  const { namespace } = target
  if (kind === undefined || namespace === undefined) return
  for (;;) {
    const listed = await list(context, { kind, namespace }, {})
    const all = listed.items.map((item) => item.object() as DisruptionBudget)
    const [budget, ...more] = matchingBudgets(pod, all)
    if (more.length > 0) throw multipleBudgetsError()
    const paid = budget && afterEviction(budget, pod, context.clock.now())
    if (paid === undefined) return
    const place = { kind, namespace, name: paid.metadata.name ?? '', subresource: 'status' }
    try {
      const draft = { object: paid, findings: [], warnings: [] }
      if ((await guaranteedUpdate(context, place, options, () => draft)) !== undefined) return
    } catch (error) {
      if (!isStatus(error, 'Conflict')) throw error
    }
  }
}

function disruptionBudgetKind({ scheme }: RegistryContext): AnyKind | undefined {
  return Object.hasOwn(scheme.routes, budgetRoute) ? scheme.routes[budgetRoute] : undefined
}

/** Says on the pod why it goes, under the preconditions of the deletion; gives the version that this makes. */
async function setDisruptionCondition(
  context: RegistryContext,
  target: Target,
  write: WriteOptions,
  { preconditions }: DeleteOptions,
): Promise<string | undefined> {
  const written = await guaranteedUpdate(context, target, write, (current) => {
    const pod = withDisruptionTarget(current.object(), context.clock.now())
    const metadata = { ...pod.metadata, ...preconditions }
    return { object: { ...pod, metadata }, findings: [], warnings: [] }
  })
  return written?.item.object().metadata.resourceVersion
}
