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

/** The constraints that texts `LABEL=SKEW` stand for: rather than break one, another node is taken. `<hostname>` and `<zone>` are labels. */
export function spreadConstraints(
  texts: readonly string[],
  { hostname, zone }: PlatformKeys,
): readonly TopologySpreadConstraint[] {
  const names = new Map([
    ['<hostname>', hostname],
    ['<zone>', zone],
  ])
  return texts.flatMap((text) => {
    const parts = partsOf(text)
    if (parts === undefined) return []
    const topologyKey = names.get(parts.label) ?? parts.label
    return [{ topologyKey, maxSkew: parts.skew, whenUnsatisfiable: 'ScheduleAnyway' as const }]
  })
}

/** What is wrong with such a text. */
export function spreadProblem(text: string): string | undefined {
  if (partsOf(text) !== undefined) return undefined
  return `${text}: expected a label and a number above 0, such as <zone>=5`
}

function partsOf(text: string): { readonly label: string; readonly skew: number } | undefined {
  const found = /^([^=]{1,316})=([1-9][0-9]{0,8})$/.exec(text)
  return found ? { label: found[1]!, skew: Number(found[2]) } : undefined
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
