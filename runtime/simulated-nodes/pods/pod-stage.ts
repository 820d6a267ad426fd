import type { Pod, PodStatus } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Delay } from '../delay.ts'
import type { PodBehaviour } from './pod-behaviour.ts'

/** What a stage knows beside the pod. */
export interface StageContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The address of the node. */
  readonly nodeAddress: string
  /** What the annotations of the pod ask for. */
  readonly behaviour: PodBehaviour
  /** The address that the pod has, or gets now; undefined if its node has none left. */
  podAddress(): string | undefined
}

/** What becomes of a pod: another status, or its end. Undefined: nothing yet; the stage is tried again later. */
export type PodChange = { readonly status: PodStatus } | 'delete' | undefined

/**
 * A step in the life of a pod on a simulated node. Of all stages the first that applies is carried out, after its delay, and then it is looked
 * again which one applies: a stage must change the pod such that it applies no more. A pod to which none applies stays as it is.
 *
 * @example
 * const slowPull: PodStage = { ...stage, delay: ({ spec }) => (spec?.containers[0]?.image?.startsWith('big/') ? 60_000 : 0) }
 */
export interface PodStage {
  readonly name: string
  applies(pod: Stored<Pod>, context: StageContext): boolean
  /** How long the pod stays as it is before the change, in milliseconds. Default: no time. */
  readonly delay?: Delay | ((pod: Stored<Pod>, context: StageContext) => Delay)
  change(pod: Stored<Pod>, context: StageContext): PodChange
}
