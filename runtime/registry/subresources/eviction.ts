import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { DeleteOptions, ObjectTarget, WriteOptions } from '../contract/contract.ts'
import { deleteObject } from '../verbs/delete.ts'
import { readDeleteOptions } from '../verbs/delete-options.ts'
import { get } from '../verbs/get.ts'
import { list } from '../verbs/list.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'
import { checkDeletePreconditions } from '../write/preconditions.ts'
import {
  afterEviction,
  budgetRoute,
  canIgnoreBudgets,
  type DisruptionBudget,
  matchingBudgets,
  multipleBudgetsError,
  withDisruptionTarget,
} from './disruption-budgets.ts'

/** The eviction of one pod. */
interface Eviction {
  readonly context: RegistryContext
  /** The pod itself. */
  readonly pod: ObjectTarget
  /** The eviction subresource of the pod, through which its condition is written. */
  readonly target: ObjectTarget
  readonly writeOptions: WriteOptions
  readonly deleteOptions: DeleteOptions
}

/**
 * Deletes a pod if its disruption budget allows it: takes the disruption off the budget, sets the pod's condition, then
 * deletes it. A failure after the first step costs the budget until its controller counts again, never a pod too many.
 *
 * @throws StatusError TooManyRequests while the budget is used up, Conflict if a precondition fails.
 */
export async function evictPod(
  context: RegistryContext,
  target: ObjectTarget,
  body: ApiObject,
  options: WriteOptions,
): Promise<void> {
  const eviction = evictionOf(context, target, body, options)
  const { pod, deleteOptions } = eviction
  for (;;) {
    const stored = (await get(context, pod, {})).object()
    checkDeletePreconditions(pod, deleteOptions, stored)
    if (!canIgnoreBudgets(stored)) {
      await deleteObject(context, pod, await disrupt(eviction, stored))
      return
    }
    try {
      await deleteObject(context, pod, withSeenVersion(stored, deleteOptions))
      return
    } catch (error) {
      if (!isStatus(error, 'Conflict') || deleteOptions.preconditions?.resourceVersion) throw error
    }
  }
}

/** Reads the delete options inside the body. A dry run may be asked for there as well as by the request. */
function evictionOf(
  context: RegistryContext,
  target: ObjectTarget,
  body: ApiObject,
  options: WriteOptions,
): Eviction {
  const { subresource, ...pod } = target
  const { deleteOptions: sent } = body as { readonly deleteOptions?: Json }
  const { platform } = context.scheme
  const read = readDeleteOptions(sent !== undefined && isObject(sent) ? sent : {}, platform)
  const dryRun = options.dryRun || read.dryRun
  const { user } = options
  return {
    context,
    pod,
    target,
    writeOptions: { ...options, dryRun },
    deleteOptions: { ...read, dryRun, ...(user && { user }) },
  }
}

/** A pod that no budget protects is deleted as it was seen: it is looked at again if it has begun to run meanwhile. */
function withSeenVersion(
  { metadata: { uid, resourceVersion } }: Stored<ApiObject>,
  options: DeleteOptions,
): DeleteOptions {
  return { ...options, preconditions: { uid, resourceVersion } }
}

/** Takes the disruption off the budget and sets the pod's condition; returns the options to delete it with. */
async function disrupt(eviction: Eviction, stored: Stored<ApiObject>): Promise<DeleteOptions> {
  const { deleteOptions } = eviction
  const { uid } = stored.metadata
  await decrementBudget(eviction, stored)
  const version = await setDisruptionCondition(eviction)
  const resourceVersion = deleteOptions.preconditions?.resourceVersion && version
  return {
    ...deleteOptions,
    preconditions: { uid, ...(resourceVersion && { resourceVersion }) },
  }
}

/**
 * Takes the disruption off the budget that selects the pod, under the version that was read: of two evictions that race
 * for the
 * last disruption one reads the budget again and is refused.
 *
 * @throws StatusError TooManyRequests; code 500 if several budgets select the pod.
 */
async function decrementBudget(
  { context, target: { namespace }, writeOptions }: Eviction,
  pod: Stored<ApiObject>,
): Promise<void> {
  const kind = disruptionBudgetKind(context)
  if (kind === undefined || namespace === undefined) return
  for (;;) {
    const listed = await list(context, { kind, namespace }, {})
    const budgets = listed.items.map((item) => item.object() as Stored<DisruptionBudget>)
    const [budget, ...others] = matchingBudgets(pod, budgets)
    if (others.length > 0) throw multipleBudgetsError()
    const object = budget && afterEviction(budget, pod, context.clock.now())
    if (budget === undefined || object === undefined) return
    const { name } = budget.metadata
    const target = { kind, namespace, name, subresource: 'status' }
    const call = { context, target, options: writeOptions }
    const draft = { object, fieldErrors: [], warnings: [] }
    try {
      const result = await guaranteedUpdate(call, () => draft)
      if (result !== undefined) return
    } catch (error) {
      if (!isStatus(error, 'Conflict')) throw error
    }
  }
}

/** The kind of budgets; undefined for a scheme without them, where every eviction is allowed. */
function disruptionBudgetKind({ scheme }: RegistryContext): AnyKind | undefined {
  return Object.hasOwn(scheme.routes, budgetRoute) ? scheme.routes[budgetRoute] : undefined
}

/** Sets the condition that says why the pod goes, under the preconditions of the deletion; returns the new version. */
async function setDisruptionCondition({
  context,
  target,
  writeOptions,
  deleteOptions: { preconditions },
}: Eviction): Promise<string | undefined> {
  const result = await guaranteedUpdate({ context, target, options: writeOptions }, (current) => {
    const pod = withDisruptionTarget(current.object(), context.clock.now())
    const metadata = { ...pod.metadata, ...preconditions }
    return { object: { ...pod, metadata }, fieldErrors: [], warnings: [] }
  })
  return result?.item.object().metadata.resourceVersion
}
