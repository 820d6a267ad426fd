/** Releases, and how long things must work: the deprecation policy counts in months and releases, whichever is longer. */

/** A time to live as the policy states it. */
export interface Lifetime {
  readonly months: number
  readonly releases: number
}

/** A release comes out about every four months (api-server.md, section 8). */
const monthsPerRelease = 4

/** A lifetime in releases: what is promised in months is kept for as many releases as fill them. */
export function releasesOf({ months, releases }: Lifetime): number {
  return Math.max(releases, Math.ceil(months / monthsPerRelease))
}

/** A lifetime as messages state it. */
export function printLifetime(lifetime: Lifetime): string {
  const count = releasesOf(lifetime)
  return `${count} release${count === 1 ? '' : 's'}`
}

/** The releases from `from` to `to`: negative if that goes back, infinite into another major version. */
export function releasesBetween(from: string, to: string): number {
  const [major, minor] = parts(from)
  const [laterMajor, laterMinor] = parts(to)
  if (major === laterMajor) return laterMinor - minor
  return laterMajor > major ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
}

/** `1.29` of `1.29.0`. */
export function minorOf(release: string): string {
  return parts(release).join('.')
}

/** Whether `to` belongs to a later major version than `from`. */
export function majorAdvances(from: string, to: string): boolean {
  return parts(to)[0] > parts(from)[0]
}

function parts(release: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = release.split('.').map(Number)
  return [major, minor]
}
