import type { Pod } from '../pods/pod-spec.ts'
import { baseline } from './checks/baseline.ts'
import { type CheckPod, checkedPod, type Violation } from './checks/check.ts'
import { restricted } from './checks/restricted.ts'
import type { LevelVersion } from './levels.ts'

export type { Violation } from './checks/check.ts'

/** The violations of a level by a pod or pod template, in the order of the checks. */
export function evaluate(
  level: LevelVersion,
  pod: Pick<Pod, 'spec'> & { readonly metadata?: unknown },
): readonly Violation[] {
  if (level.level === 'privileged') return []
  const checked = checkedPod(pod)
  return checksFor(level).flatMap((check) => check(checked) ?? [])
}

/** The functions of the checks in a release: those of baseline that are not replaced, then those of restricted. */
function checksFor({ level, version }: LevelVersion): readonly CheckPod[] {
  const additional = (level === 'restricted' ? restricted : []).filter(
    ({ versions }) => (versions[0]?.since ?? 0) <= version,
  )
  const replaced = new Set(
    additional.flatMap(({ replacedBaselineChecks = [] }) => replacedBaselineChecks),
  )
  const checks = [...baseline.filter(({ id }) => !replaced.has(id)), ...additional]
  return checks.flatMap(
    ({ versions }) => versions.findLast(({ since }) => since <= version)?.check ?? [],
  )
}

/** Prints violations: `reason (detail), reason (detail)`. */
export function printViolations(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`))
    .join(', ')
}
