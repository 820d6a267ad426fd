import type { Probe } from '../../../generated/apis/core/v1/container.ts'

/** What the rounds of a probe so far came to. */
export interface ProbeState {
  /** True after enough passes in a row, false after enough failures; before that as it began. */
  readonly passes: boolean
  readonly inRow: number
  readonly last: boolean | undefined
}

/** The state after one more round: below the thresholds it stays. */
export function afterRound(
  state: ProbeState,
  passed: boolean,
  { successThreshold = 1, failureThreshold = 3 }: Probe,
): ProbeState {
  const inRow = state.last === passed ? state.inRow + 1 : 1
  const isEnough = inRow >= (passed ? successThreshold : failureThreshold)
  return { passes: isEnough ? passed : state.passes, inRow, last: passed }
}
