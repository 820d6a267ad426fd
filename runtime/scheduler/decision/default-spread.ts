import type {
  TopologySpreadConstraint,
  UnsatisfiableConstraintAction,
} from '../../../generated/apis/core/v1/scheduling.ts'
import type { PlatformKeys } from '../facts/platform-keys.ts'
import type { PodClass } from '../facts/pod-class.ts'
import { type SpreadConstraint, spreadConstraintsOf } from '../facts/spread-constraint.ts'
import type { Lookups } from '../snapshot/lookups.ts'

/** How pods are spread that say nothing of it, and belong to a service or a controller. */
export interface DefaultSpread {
  readonly constraints: readonly TopologySpreadConstraint[]
  /** True for the constraints of a cluster that sets none: nodes without a zone are not left out by them. */
  readonly isUsual: boolean
}

/** What holds where nothing else is said: rather on other nodes, and rather in other zones. */
export function usualSpread({ hostname, zone }: PlatformKeys): DefaultSpread {
  const whenUnsatisfiable = 'ScheduleAnyway'
  return {
    isUsual: true,
    constraints: [
      { topologyKey: hostname, maxSkew: 3, whenUnsatisfiable },
      { topologyKey: zone, maxSkew: 5, whenUnsatisfiable },
    ],
  }
}

/** The constraints of an action for pods that have none of their own: none for pods that nothing selects. */
export function defaultConstraints(
  pods: PodClass,
  { constraints }: DefaultSpread,
  { peersOf }: Lookups,
  action: UnsatisfiableConstraintAction,
): readonly SpreadConstraint[] {
  if (!constraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === action)) return []
  const selection = peersOf(pods)
  if (selection === undefined) return []
  return spreadConstraintsOf(constraints, pods.labels, action).map((one) => ({ ...one, selection }))
}
