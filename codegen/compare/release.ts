/** Releases and lifetimes: the deprecation policy counts in months and in releases, whichever is longer. */

/** A lifetime as the policy states it: both must pass. */
export interface Lifetime {
  readonly months: number
  readonly releases: number
}

/** A release is made about every four months (api-server.md, section 8). */
const monthsPerRelease = 4

/** The lifetime in releases: months are rounded up to the releases that fill them. */
export function releasesOf({ months, releases }: Lifetime): number {
  return Math.max(releases, Math.ceil(months / monthsPerRelease))
}

/** The lifetime as messages state it: `3 releases`. */
export function printLifetime(lifetime: Lifetime): string {
  const count = releasesOf(lifetime)
  return `${count} release${count === 1 ? '' : 's'}`
}

/** The releases from `from` to `to`: negative where `to` is earlier, infinite across major versions. */
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

/** True if `to` is of a later major version than `from`. */
export function majorAdvances(from: string, to: string): boolean {
  return parts(to)[0] > parts(from)[0]
}

/** Patch releases promise and remove nothing, so the third number does not count. */
function parts(release: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = release.split('.').map(Number)
  return [major, minor]
}
