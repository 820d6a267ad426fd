import type { Pod } from '../pods/pod-spec.ts'
import { baseline } from './checks/baseline.ts'
import { type CheckPod, checkedPod, type Violation } from './checks/check.ts'
import { restricted } from './checks/restricted.ts'
import type { LevelVersion } from './levels.ts'

export type { Violation } from './checks/check.ts'

/** Everything that keeps a pod out of a level, in the order of the checks. */
export function evaluate(
  level: LevelVersion,
  pod: Pick<Pod, 'spec'> & { readonly metadata?: unknown },
): readonly Violation[] {
  if (level.level === 'privileged') return []
  const looked = checkedPod(pod)
  return checksFor(level).flatMap((look) => look(looked) ?? [])
}

function checksFor({ level, version }: LevelVersion): readonly CheckPod[] {
  const strict = level === 'restricted' ? restricted : []
  const present = strict.filter(({ versions }) => (versions[0]?.since ?? 0) <= version)
  const needless = new Set(
    present.flatMap(({ replacedBaselineChecks: overrides = [] }) => overrides),
  )
  const checks = [...baseline.filter(({ id }) => !needless.has(id)), ...present]
  return checks.flatMap(
    ({ versions }) => versions.findLast(({ since }) => since <= version)?.look ?? [],
  )
}

/** `reason (detail), reason (detail)`. */
export function printViolations(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`))
    .join(', ')
}
