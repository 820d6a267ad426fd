import { timestamp } from '../../kernel/async/clock.ts'
import type { ApiObject, Metadata } from '../../kernel/meta/object.ts'
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
  if (object.metadata.deletionTimestamp !== undefined) return shortenGracePeriod(object, grace)
  const generation = object.metadata.generation ?? 0
  const metadata = {
    ...object.metadata,
    ...(generation > 0 && { generation: generation + 1 }),
    deletionTimestamp: timestamp(clock.now() + grace * 1000),
    deletionGracePeriodSeconds: grace,
    ...policyFinalizers(kind, object.metadata, options),
  }
  return strategy.begin?.({ ...object, metadata }, platform) ?? { ...object, metadata }
}

/** A later delete can only bring the end nearer. */
function shortenGracePeriod(object: ApiObject, grace: number): ApiObject {
  const { deletionGracePeriodSeconds: before = 0, deletionTimestamp = '' } = object.metadata
  if (grace >= before) return object
  const end = Date.parse(deletionTimestamp) - (before - grace) * 1000
  const metadata = {
    ...object.metadata,
    deletionTimestamp: timestamp(end),
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
