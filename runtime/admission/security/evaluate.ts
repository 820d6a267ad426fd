import type { Pod } from '../pods.ts'
import { baseline } from './baseline.ts'
import { type Look, lookedAt, type Violation } from './check.ts'
import type { LevelVersion } from './levels.ts'
import { restricted } from './restricted.ts'

export type { Violation } from './check.ts'

/** Everything that keeps a pod out of a level, in the order of the checks. */
export function evaluate(
  level: LevelVersion,
  pod: Pick<Pod, 'spec'> & { readonly metadata?: unknown },
): readonly Violation[] {
  if (level.level === 'privileged') return []
  const looked = lookedAt(pod)
  return looksOf(level).flatMap((look) => look(looked) ?? [])
}

function looksOf({ level, version }: LevelVersion): readonly Look[] {
  const strict = level === 'restricted' ? restricted : []
  const present = strict.filter(({ versions }) => (versions[0]?.since ?? 0) <= version)
  const needless = new Set(present.flatMap(({ overrides = [] }) => overrides))
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
