import type {
  TopologySpreadConstraint,
  UnsatisfiableConstraintAction,
} from '../../../generated/apis/core/v1/scheduling.ts'
import { labelRequirementsOf } from '../../kernel/meta/label-selector.ts'
import { LabelSelection } from './label-selection.ts'

/** How pods are to be spread over the domains of a topology. */
export interface SpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly selection: LabelSelection
  readonly minDomains: number
  readonly honorsAffinity: boolean
  readonly honorsTaints: boolean
}

/** The constraints of an action, as they hold for a pod of these labels. */
export function spreadConstraintsOf(
  constraints: readonly TopologySpreadConstraint[],
  labels: Readonly<Record<string, string>>,
  action: UnsatisfiableConstraintAction,
): readonly SpreadConstraint[] {
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((one) => ({
      maxSkew: one.maxSkew,
      topologyKey: one.topologyKey,
      selection: selectionFor(one, labels),
      minDomains: one.minDomains ?? 1,
      honorsAffinity: one.nodeAffinityPolicy !== 'Ignore',
      honorsTaints: one.nodeTaintsPolicy === 'Honor',
    }))
}

function selectionFor(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  labels: Readonly<Record<string, string>>,
): LabelSelection {
  const requirements = labelSelector && labelRequirementsOf(labelSelector)
  if (requirements === undefined) return new LabelSelection(undefined)
  const own = matchLabelKeys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator: '=', values: [labels[key]!] }) as const)
  return new LabelSelection([...own, ...requirements])
}
