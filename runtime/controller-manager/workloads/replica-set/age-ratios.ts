import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { isReady } from '../../pods/pod-state.ts'

/** How many times as old as the youngest pod that is ready each of these ready pods is that go. */
export function ageRatios(
  pods: readonly Stored<Pod>[],
  going: readonly Stored<Pod>[],
  now: number,
): readonly number[] {
  const ages = new Map(
    pods
      .filter(isReady)
      .map((pod) => [pod, Math.max(1, now - Date.parse(pod.metadata.creationTimestamp))]),
  )
  const youngest = Math.min(...ages.values())
  return going.flatMap((pod) => {
    const age = ages.get(pod)
    return age === undefined ? [] : [age / youngest]
  })
}
