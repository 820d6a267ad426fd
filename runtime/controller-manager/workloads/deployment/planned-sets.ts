import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { ReplicaSet } from '../../../../generated/apis/apps/v1/replica-set.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { EventFacts } from '../../../recorder/recorder.ts'
import { type RevisionKeys, withRevision } from './revisions.ts'
import { maxSurge, replicasOf } from './rollout-limits.ts'

/** A replica set as a decision leaves it. */
export interface PlannedSet {
  readonly name: string
  /** The set as it is; undefined for one that is to be created. */
  readonly stored: Stored<ReplicaSet> | undefined
  /** The set as it is, or is to be created. */
  readonly object: SetDraft
  replicas: number
  annotations: Readonly<Record<string, string>>
  minReadySeconds: number
  /** What is told when it is written. */
  readonly events: EventFacts[]
}

/** A replica set that may not be there yet. */
export type SetDraft = Omit<ReplicaSet, 'metadata'> & {
  readonly metadata: ReplicaSet['metadata'] & { readonly name: string }
}

/** A set as it is, to be changed by a decision. */
export function plannedSet(object: SetDraft, stored?: Stored<ReplicaSet>): PlannedSet {
  const { replicas = 1, minReadySeconds = 0 } = object.spec ?? {}
  const { name, annotations = {} } = object.metadata
  return { name, stored, object, replicas, annotations, minReadySeconds, events: [] }
}

/** The pods of a set that are available and stay: none that its status still has and its size, as it is or is to be, has not. */
export function availableIn({ stored, replicas }: PlannedSet): number {
  const { spec, status } = stored ?? {}
  return Math.min(replicas, spec?.replicas ?? 0, status?.availableReplicas ?? 0)
}

/** How many pods sets ask for. */
export function sizeOf(sets: readonly PlannedSet[]): number {
  return sets.reduce((sum, { replicas }) => sum + replicas, 0)
}

/** How many pods sets may have: as many as they ask for or still have, and any number until the size that is stored was acted on. */
export function mostPods(sets: readonly PlannedSet[]): number {
  return sets.reduce((sum, { stored, replicas }) => {
    const { metadata, status } = stored ?? {}
    const isSeen = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0)
    return sum + (isSeen ? Math.max(replicas, status?.replicas ?? 0) : Number.POSITIVE_INFINITY)
  }, 0)
}

/** The sets that ask for pods. */
export function activeOf(sets: readonly PlannedSet[]): readonly PlannedSet[] {
  return sets.filter(({ replicas }) => replicas > 0)
}

/** True if what is stored has to be changed. */
export function isChanged({ stored, replicas, annotations, minReadySeconds }: PlannedSet): boolean {
  if (stored === undefined) return true
  const { spec, metadata } = stored
  const had = metadata.annotations ?? {}
  return (
    replicas !== (spec?.replicas ?? 1) ||
    minReadySeconds !== (spec?.minReadySeconds ?? 0) ||
    Object.keys(annotations).length !== Object.keys(had).length ||
    Object.entries(annotations).some(([key, value]) => had[key] !== value)
  )
}

/** The object that a set is to be. */
export function writtenSet<T extends SetDraft>(
  object: T,
  { replicas, annotations, minReadySeconds }: PlannedSet,
): T {
  const metadata = { ...object.metadata, annotations }
  return { ...object, metadata, spec: { ...object.spec, replicas, minReadySeconds } }
}

/** Asks for another number of pods, and says so; nothing happens if a set asks for as many already. */
export function scaleTo(
  set: PlannedSet,
  size: number,
  deployment: Stored<Deployment>,
  keys: RevisionKeys,
): boolean {
  if (set.replicas === size) return false
  resize(set, size, deployment, keys)
  return true
}

/** Like `scaleTo`, but the set also learns of the size of its deployment where its own stays. */
export function resize(
  set: PlannedSet,
  size: number,
  deployment: Stored<Deployment>,
  keys: RevisionKeys,
): void {
  const { name, replicas: before } = set
  set.annotations = withSizes(set.annotations, deployment, keys)
  if (before === size) return
  set.replicas = size
  const way = size > before ? 'up' : 'down'
  set.events.push(scaled(`Scaled ${way} replica set ${name} to ${size} from ${before}`))
}

/** The event that tells of a set that was given pods. */
export function scaled(message: string): EventFacts {
  return { type: 'Normal', reason: 'ScalingReplicaSet', message }
}

/** The annotations with the size that a deployment is to have, and the most that it may. */
export function withSizes(
  annotations: Readonly<Record<string, string>>,
  deployment: Stored<Deployment>,
  { desired, max }: RevisionKeys,
): Readonly<Record<string, string>> {
  const replicas = replicasOf(deployment)
  return { ...annotations, [desired]: `${replicas}`, [max]: `${replicas + maxSurge(deployment)}` }
}

/** Takes what the deployment says over to its newest set, and gives that the next revision. */
export function bringUpToDate(
  set: PlannedSet,
  deployment: Stored<Deployment>,
  revision: number,
  keys: RevisionKeys,
): void {
  set.annotations = withRevision(set.annotations, deployment.metadata.annotations, revision, keys)
  set.minReadySeconds = deployment.spec?.minReadySeconds ?? 0
}
