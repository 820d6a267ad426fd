/** How stable API versions are, by their names (api-server.md, section 9). */

/** The stability that the name of a version promises. */
export type Stage = 'Alpha' | 'Beta' | 'GA'

const ranks: Readonly<Record<Stage, number>> = { Alpha: 0, Beta: 1, GA: 2 }

/** The stage of `v1alpha1` is Alpha, of `v2beta3` Beta, of `v1` GA. */
export function stageOf(version: string): Stage {
  if (version.includes('alpha')) return 'Alpha'
  return version.includes('beta') ? 'Beta' : 'GA'
}

/** True if `a` promises less than `b`. */
export function isLessStable(a: Stage, b: Stage): boolean {
  return ranks[a] < ranks[b]
}

/** True if the version `by` may replace `version` in its group: it is more stable, or a later one of the same stage. */
export function mayReplace(by: string, version: string): boolean {
  if (stageOf(by) !== stageOf(version)) return !isLessStable(stageOf(by), stageOf(version))
  return compareVersions(by, version) > 0
}

/** Negative if `a` is the earlier of two versions of one stage. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [numbersOf(a), numbersOf(b)]
  return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0)
}

/** `v2beta3` has 2 and 3, `v1` has 1 alone. */
function numbersOf(version: string): readonly number[] {
  return (version.match(/[0-9]+/g) ?? []).map(Number)
}
