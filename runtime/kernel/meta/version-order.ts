/**
 * Compares versions by priority, the highest first: stable versions, then beta, then alpha, each by
 * descending numbers; other names last, in alphabetical order (supplement S-08). v10 comes before
 * v9, v1 before v1beta2, and v2beta1 before v1beta3. 0 is for equal ranks.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionRank(a), versionRank(b)]
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1
    if (right !== undefined) return 1
    return a < b ? -1 : a > b ? 1 : 0
  }
  const at = left.findIndex((part, index) => part !== right[index])
  return at < 0 ? 0 : (right[at] as number) - (left[at] as number)
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }

/**
 * Stage, major and minor, the larger first in each. Undefined for a name that is no version of the
 * usual form. Nine digits at most, so that numbers stay exact.
 */
function versionRank(version: string): readonly number[] | undefined {
  const parts = /^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$/.exec(version)
  if (parts === null) return undefined
  const [, major, stage, minor] = parts
  return [stage === undefined ? 2 : (stages[stage] as number), Number(major), Number(minor ?? 0)]
}
