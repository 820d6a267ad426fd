import type { Taint } from '../../../../generated/apis/core/v1/node.ts'
import type { Toleration } from '../../../../generated/apis/core/v1/scheduling.ts'
import { tolerates } from '../../../pods/pods.ts'

/** What becomes of a pod by the taints of its node. */
export type EvictionPlan =
  | { readonly is: 'stays' }
  /** It may stay for so many milliseconds more. */
  | { readonly is: 'waits'; readonly ms: number }
  /** It goes: `tolerated` if it was, for as long as it could be, and `lateMs` after it should have gone. */
  | { readonly is: 'goes'; readonly tolerated: boolean; readonly lateMs: number }

/** A pod that waits since `since`, if it waits already, on a node with these taints, by the monotonic clock. */
export function decideEviction(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  since: number | undefined,
  monotonic: number,
): EvictionPlan {
  const evicting = taints?.filter(({ effect }) => effect === 'NoExecute') ?? []
  if (evicting.length === 0) return { is: 'stays' }
  const used = evicting.map((taint) => tolerations?.find((one) => tolerates(one, taint)))
  if (used.includes(undefined)) return { is: 'goes', tolerated: false, lateMs: 0 }
  const seconds = used.flatMap((one) => one?.tolerationSeconds ?? [])
  if (seconds.length === 0) return { is: 'stays' }
  const ms = (since ?? monotonic) + Math.min(...seconds) * 1000 - monotonic
  return ms > 0 ? { is: 'waits', ms } : { is: 'goes', tolerated: true, lateMs: -ms }
}
