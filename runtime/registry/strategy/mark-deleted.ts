import { timestamp } from '../../kernel/async/clock.ts'
import { nextGeneration } from '../../kernel/meta/generation.ts'
import type { ApiObject, Metadata } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { DeleteOptions, Target } from '../contract/contract.ts'
import { deletionStrategyOf } from './deletion-strategy.ts'

/**
 * The object as its deletion leaves it, whether it then stays for a while or goes at once: with a deletion timestamp at the end
 * of its grace period, the finalizer of the deletion policy, and what its kind's deletion strategy adds.
 */
export function markDeleted(
  { clock, scheme: { platform } }: RegistryContext,
  { kind }: Target,
  object: ApiObject,
  options: DeleteOptions,
): ApiObject {
  const strategy = deletionStrategyOf(kind)
  const grace = strategy.grace?.(object, options.gracePeriodSeconds) ?? 0
  const { deletionTimestamp, deletionGracePeriodSeconds: before = 0 } = object.metadata
  if (deletionTimestamp !== undefined) {
    if (grace >= Number(before) && before > 0) return object
    return withPolicy(kind, shortenGracePeriod(object, grace, clock.now()), options)
  }
  const generation = object.metadata.generation ?? 0
  const metadata = {
    ...object.metadata,
    ...(generation > 0 && { generation: nextGeneration(generation) }),
    deletionTimestamp: endOf(clock.now(), grace),
    deletionGracePeriodSeconds: grace,
    ...policyFinalizers(kind, object.metadata, options),
  }
  return strategy.begin?.({ ...object, metadata }, platform) ?? { ...object, metadata }
}

/** A later delete may say otherwise what becomes of dependents, unless the time of an earlier one still runs. */
function withPolicy(kind: Target['kind'], object: ApiObject, options: DeleteOptions): ApiObject {
  const { finalizers = [] } = policyFinalizers(kind, object.metadata, options)
  if (deepEqual(finalizers, object.metadata.finalizers ?? [])) return object
  return { ...object, metadata: { ...object.metadata, finalizers } }
}

/** The last second that a date can be in. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59)

/** The end of a grace period, which may be as long as 64 bits can say. */
function endOf(start: number, grace: number): string {
  return timestamp(Math.min(start + Number(grace) * 1000, lastTime))
}

/** A later delete can only bring the end nearer: that of a period whose begin is not known any more counts from now on. */
function shortenGracePeriod(object: ApiObject, grace: number, now: number): ApiObject {
  const { deletionGracePeriodSeconds: before = 0, deletionTimestamp = '' } = object.metadata
  if (grace >= before) return object
  const end = Date.parse(deletionTimestamp)
  const start = end < lastTime ? end - Number(before) * 1000 : now
  const metadata = {
    ...object.metadata,
    deletionTimestamp: endOf(start, grace),
    deletionGracePeriodSeconds: grace,
  }
  return { ...object, metadata }
}

/** The finalizer of a deletion policy; Background has none. */
const finalizerOf: Readonly<Record<string, string>> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
}

/** A policy sets its finalizer and takes the other one away; without one, what is there stays, or the kind decides. */
function policyFinalizers(
  { dependents }: Target['kind'],
  { finalizers = [] }: Metadata,
  { propagationPolicy }: DeleteOptions,
): Pick<Metadata, 'finalizers'> {
  const all = Object.values(finalizerOf)
  if (dependents === 'None') return { finalizers: finalizers.filter((one) => !all.includes(one)) }
  const decided = finalizers.some((one) => all.includes(one))
  const policy = propagationPolicy ?? (decided ? undefined : dependents)
  if (policy === undefined) return { finalizers }
  const own = finalizerOf[policy]
  const kept = finalizers.filter((one) => one === own || !all.includes(one))
  return { finalizers: own && !kept.includes(own) ? [...kept, own] : kept }
}
