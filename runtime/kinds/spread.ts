/** How evenly the pods of a workload are spread. */
import type { LabelSelectorLike } from '../kernel/labels.ts'
import { qualifiedNameProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { forbidden, invalid, problems } from './findings.ts'
import { checkSelector } from './selectors.ts'
import type { List } from './shapes.ts'

export interface SpreadConstraint {
  readonly topologyKey?: string
  readonly whenUnsatisfiable?: string
  readonly minDomains?: number
  readonly labelSelector?: LabelSelectorLike
  readonly matchLabelKeys?: List<string>
}

/** Everything wrong with the constraints that the schema cannot see. */
export function checkSpread(
  path: string,
  constraints: List<SpreadConstraint> | undefined,
): readonly Finding[] {
  return (constraints ?? []).flatMap((one, index) => checkOne(`${path}[${index}]`, one))
}

function checkOne(path: string, constraint: SpreadConstraint): readonly Finding[] {
  const { whenUnsatisfiable, minDomains, labelSelector } = constraint
  const soft = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`
  const wrong = minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule'
  return [
    ...(wrong ? [invalid(`${path}.minDomains`, minDomains, soft)] : []),
    ...(labelSelector ? checkSelector(`${path}.labelSelector`, labelSelector) : []),
    ...checkKeys(`${path}.matchLabelKeys`, constraint),
  ]
}

/** Keys whose values come from the pod itself stand beside a selector and do not repeat it. */
function checkKeys(path: string, constraint: SpreadConstraint): readonly Finding[] {
  const { labelSelector, matchLabelKeys } = constraint
  if (!matchLabelKeys?.length) return []
  if (labelSelector === undefined) {
    return [forbidden(path, 'must not be specified when labelSelector is not set')]
  }
  const { matchLabels = {}, matchExpressions } = labelSelector
  const said = new Set([
    ...Object.keys(matchLabels),
    ...(matchExpressions ?? []).map(({ key }) => key),
  ])
  return matchLabelKeys.flatMap((key, index) => [
    ...problems(`${path}[${index}]`, key, qualifiedNameProblems(key)),
    ...(said.has(key)
      ? [invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector')]
      : []),
  ])
}
