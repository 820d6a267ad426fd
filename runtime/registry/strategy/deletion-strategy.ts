import type { Definition } from '../../apiextensions/apiextensions.ts'
import { isSystemPriorityClass } from '../../apis/apis.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { upsertCondition } from '../../kernel/meta/status-conditions.ts'
import { hasEnded } from '../../pods/pods.ts'

/** How the deletion of some kinds differs from that of all others; each hook is optional. */
export interface DeletionStrategy {
  /** Why the object of a name is not deleted by itself; undefined for one that may be. */
  readonly refuses?: (name: string) => string | undefined
  /** Seconds between the request and the earliest removal; `requested` is the grace period of the request. */
  readonly grace?: (object: ApiObject, requested: number | undefined) => number
  /** Shapes an object whose deletion begins. */
  readonly begin?: (object: ApiObject, platform: Platform) => ApiObject
  /** True while something beside metadata.finalizers keeps the object. */
  readonly held?: (object: ApiObject) => boolean
}

/** What deletion looks at of a pod. */
interface PodLike extends ApiObject {
  readonly spec?: {
    readonly nodeName?: string
    readonly terminationGracePeriodSeconds?: number
  }
  readonly status?: { readonly phase?: string }
}

/** What deletion looks at of a namespace. */
interface NamespaceLike extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
}

/**
 * A pod on a node is given its grace period: the node ends its containers, then deletes it with none. A pod
 * on no node and one that has ended go at once.
 */
const podLifecycle: DeletionStrategy = {
  grace(object, requested) {
    const { spec, status } = object as PodLike
    if (!spec?.nodeName || hasEnded({ status })) return 0
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 30
    return seconds < 0 ? 1 : seconds
  },
}

/**
 * A namespace is terminating until the controller of namespaces has emptied it and taken off the finalizer of its spec.
 */
const namespace: DeletionStrategy = {
  begin(object) {
    const { status } = object as ApiObject & { readonly status?: object }
    return { ...object, status: { ...status, phase: 'Terminating' } } as ApiObject
  },
  held: (object) => ((object as NamespaceLike).spec?.finalizers ?? []).length > 0,
}

/** The objects of a definition go before it does. */
const customResourceDefinition: DeletionStrategy = {
  begin(object, { api }) {
    const { metadata, status = {} } = object as Definition
    const finalizer = `customresourcecleanup.apiextensions.${api}`
    const others = (metadata.finalizers ?? []).filter((one) => one !== finalizer)
    const conditions = upsertCondition(
      status.conditions ?? [],
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message:
          'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      },
      Date.parse(metadata.deletionTimestamp ?? ''),
    )
    return {
      ...object,
      metadata: { ...metadata, finalizers: [...others, finalizer] },
      status: { ...status, conditions },
    } as ApiObject
  },
}

/** Pods of the platform refer to its classes (supplement O-06). A deletion of all passes over nothing, as in other servers. */
const priorityClass: DeletionStrategy = {
  refuses: (name) =>
    isSystemPriorityClass(name)
      ? 'this is a system priority class and cannot be deleted'
      : undefined,
}

const rules: ReadonlyMap<string, DeletionStrategy> = new Map<string, DeletionStrategy>([
  ['customResourceDefinition', customResourceDefinition],
  ['podLifecycle', podLifecycle],
  ['namespace', namespace],
  ['priorityClass', priorityClass],
])

/** The deletion rules that the names in a kind's `rules` stand for, as one. */
export function deletionStrategyOf(kind: AnyKind): DeletionStrategy {
  return Object.assign({}, ...kind.strategies.map((name) => rules.get(name)))
}

/** True if a terminating object has nothing left that keeps it. */
export function isRemovable(kind: AnyKind, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0 &&
    finalizers.length === 0 &&
    !deletionStrategyOf(kind).held?.(object)
  )
}
