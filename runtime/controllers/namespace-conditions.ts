/** The conditions of a namespace that is being deleted. */
import type { Namespace } from '../../generated/apis/core/v1/namespace.ts'
import { timestamp } from '../kernel/async/clock.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { withCondition } from '../kernel/meta/status-conditions.ts'
import type { LooseObject } from '../kernel/walker/loose.ts'

/** What was found in a terminating namespace. */
export interface RemainingContent {
  /** How many objects of each resource are left, by `<plural>.<group>`. */
  readonly objects: ReadonlyMap<string, number>
  /** How many objects each finalizer keeps. */
  readonly finalizers: ReadonlyMap<string, number>
  /** What went wrong. */
  readonly failures: readonly string[]
  /** The group versions whose servers could not be asked what they hold. */
  readonly unknown: readonly string[]
}

interface DeletionCondition {
  readonly type: string
  /** The reason and the message of one that does not hold. */
  readonly calm: readonly [reason: string, message: string]
  /** The same of one that does, whose message is empty if it does not. */
  readonly reason: string
  readonly message: string
}

/** The namespace with the conditions that follow from what is left in it. */
export function withDeletionConditions(
  namespace: ApiObject,
  remains: RemainingContent,
  now: number,
): ApiObject {
  const { status = {} } = namespace as LooseObject<Namespace>
  const next = deletionConditions(remains).reduce((all, { type, calm, reason, message }) => {
    const [calmReason, calmMessage] = calm
    return withCondition(
      all,
      message === ''
        ? { type, status: 'False', reason: calmReason, message: calmMessage }
        : { type, status: 'True', reason, message },
      timestamp(now),
    )
  }, status)
  return { ...namespace, status: next } as ApiObject
}

/** Every condition, in words that clients of the reference know. */
function deletionConditions({
  objects,
  finalizers,
  failures,
  unknown,
}: RemainingContent): readonly DeletionCondition[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      calm: ['ResourcesDiscovered', 'All resources successfully discovered'],
      reason: 'DiscoveryFailed',
      message: discoveryFailure(unknown),
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      calm: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
      reason: 'GroupVersionParsingFailed',
      message: '',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      calm: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
      reason: 'ContentDeletionFailed',
      message: contentFailure(failures),
    },
    {
      type: 'NamespaceContentRemaining',
      calm: ['ContentRemoved', 'All content successfully removed'],
      reason: 'SomeResourcesRemain',
      message: counted(
        'Some resources are remaining: ',
        objects,
        (name, count) => `${name} has ${count} resource instances`,
      ),
    },
    {
      type: 'NamespaceFinalizersRemaining',
      calm: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
      reason: 'SomeFinalizersRemain',
      message: counted(
        'Some content in the namespace has finalizers remaining: ',
        finalizers,
        (name, count) => `${name} in ${count} resource instances`,
      ),
    },
  ]
}

function discoveryFailure(unknown: readonly string[]): string {
  if (unknown.length === 0) return ''
  const stale = unknown.map((one) => `${one}: stale GroupVersion discovery: ${one}`)
  const list = stale.sort().join(', ')
  return `Discovery failed for some groups, ${unknown.length} failing: unable to retrieve the complete list of server APIs: ${list}`
}

function contentFailure(failures: readonly string[]): string {
  if (failures.length === 0) return ''
  const list = [...failures].sort().join(', ')
  return `Failed to delete all resource types, ${failures.length} remaining: ${list}`
}

function counted(
  head: string,
  counts: ReadonlyMap<string, number>,
  text: (name: string, count: number) => string,
): string {
  const some = [...counts].filter(([, count]) => count > 0)
  if (some.length === 0) return ''
  return (
    head +
    some
      .map(([name, count]) => text(name, count))
      .sort()
      .join(', ')
  )
}
