/** The conditions of a namespace that is being deleted. */
import type { Namespace } from '../../generated/apis/core/v1/namespace.ts'
import { timestamp } from '../kernel/async/clock.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { withCondition } from '../kernel/meta/status-conditions.ts'
import type { LooseObject } from '../kernel/walker/loose.ts'

/** What was found in a terminating namespace. */
export interface RemainingContent {
  /** How many objects of each resource are left. */
  readonly objects: ReadonlyMap<string, number>
  /** How many objects each finalizer keeps. */
  readonly finalizers: ReadonlyMap<string, number>
  /** What went wrong. */
  readonly failures: readonly string[]
}

type DeletionCondition = readonly [type: string, reason: string, calm: string, message: string]

/** The namespace with the conditions that follow from what is left in it. */
export function withDeletionConditions(
  namespace: ApiObject,
  remains: RemainingContent,
  now: number,
): ApiObject {
  const { status = {} } = namespace as LooseObject<Namespace>
  const next = deletionConditions(remains).reduce(
    (all, [type, reason, calm, message]) =>
      withCondition(
        all,
        message === ''
          ? { type, status: 'False', reason: calm, message: '' }
          : { type, status: 'True', reason, message },
        timestamp(now),
      ),
    status,
  )
  return { ...namespace, status: next } as ApiObject
}

/** Every condition with the reason of either state; an empty message means that the condition does not hold. */
function deletionConditions({
  objects,
  finalizers,
  failures,
}: RemainingContent): readonly DeletionCondition[] {
  const condition = (type: string, ...rest: readonly [string, string, string]) =>
    [`Namespace${type}`, ...rest] as const
  const [left, kept] = [counted(objects, 'left'), counted(finalizers, 'kept')]
  return [
    condition('DeletionDiscoveryFailure', 'DiscoveryFailed', 'ResourcesDiscovered', ''),
    condition(
      'DeletionGroupVersionParsingFailure',
      'GroupVersionParsingFailed',
      'ParsedGroupVersions',
      '',
    ),
    condition(
      'DeletionContentFailure',
      'ContentDeletionFailed',
      'ContentDeleted',
      failures.join('; '),
    ),
    condition('ContentRemaining', 'SomeResourcesRemain', 'ContentRemoved', left),
    condition('FinalizersRemaining', 'SomeFinalizersRemain', 'ContentHasNoFinalizers', kept),
  ]
}

/** `configmaps: 1 left, pods: 2 left`. */
function counted(counts: ReadonlyMap<string, number>, word: string): string {
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name}: ${count} ${word}`)
    .join(', ')
}
