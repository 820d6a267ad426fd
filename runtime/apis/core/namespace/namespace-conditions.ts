/** How far the end of a namespace is, as its conditions say it. */

import { timestamp } from '../../../kernel/async/clock.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { Condition, List } from '../../types/shapes.ts'
import { withCondition } from '../../types/status-conditions.ts'

/** What was found in a terminating namespace. */
export interface RemainingContent {
  /** How many objects of each resource are left. */
  readonly objects: ReadonlyMap<string, number>
  /** How many objects each finalizer keeps. */
  readonly finalizers: ReadonlyMap<string, number>
  /** What went wrong. */
  readonly failures: readonly string[]
}

interface Terminating extends ApiObject {
  readonly status?: { readonly phase?: string; readonly conditions?: List<Condition> }
}

type DeletionCondition = readonly [type: string, reason: string, calm: string, message: string]

/** The namespace with the conditions that follow from what is left in it. */
export function withDeletionConditions(
  namespace: ApiObject,
  remains: RemainingContent,
  now: number,
): ApiObject {
  const { status = {} } = namespace as Terminating
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

/** Every condition with the reason of either state; an empty message means that there is nothing to say. */
function deletionConditions({
  objects,
  finalizers,
  failures,
}: RemainingContent): readonly DeletionCondition[] {
  return [
    ['NamespaceDeletionDiscoveryFailure', 'DiscoveryFailed', 'ResourcesDiscovered', ''],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      'GroupVersionParsingFailed',
      'ParsedGroupVersions',
      '',
    ],
    [
      'NamespaceDeletionContentFailure',
      'ContentDeletionFailed',
      'ContentDeleted',
      failures.join('; '),
    ],
    [
      'NamespaceContentRemaining',
      'SomeResourcesRemain',
      'ContentRemoved',
      counted(objects, 'left'),
    ],
    [
      'NamespaceFinalizersRemaining',
      'SomeFinalizersRemain',
      'ContentHasNoFinalizers',
      counted(finalizers, 'kept'),
    ],
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
