/** What a release of a version changes in the repository. */
export interface ReleasePlan {
  readonly version: string
  readonly tag: string
  readonly changelog: string
  readonly manifest: string
}

/** The state that a release starts from. */
export interface ReleaseState {
  /** The text of CHANGELOG.md. */
  readonly changelog: string
  /** The text of package.json. */
  readonly manifest: string
  /** Tags of earlier releases, the highest first. */
  readonly tags: readonly string[]
  /** Paths that are not committed. */
  readonly uncommitted: readonly string[]
}

const heading = /^## (\d+\.\d+\.\d+(?:-[\w.]+)?) \(unreleased\)$/m

/**
 * Plans the release of the version that CHANGELOG.md calls unreleased: the changelog gets the date, package.json the version.
 * Returns every reason against it where there is one.
 */
export function planRelease(state: ReleaseState, date: string): ReleasePlan | readonly string[] {
  const version = heading.exec(state.changelog)?.[1]
  if (version === undefined) {
    return ['CHANGELOG.md has no heading "## <version> (unreleased)": say there what is released']
  }
  const tag = `v${version}`
  const [latest] = state.tags
  const problems = [
    ...(state.uncommitted.length > 0
      ? [`these files are not committed: ${state.uncommitted.join(', ')}`]
      : []),
    ...(state.tags.includes(tag) ? [`${tag} exists: give CHANGELOG.md the next version`] : []),
    ...(latest !== undefined && !isAbove(version, latest.slice(1))
      ? [`${version} is not above ${latest}, the last release`]
      : []),
  ]
  if (problems.length > 0) return problems
  return {
    version,
    tag,
    changelog: state.changelog.replace(heading, `## ${version} (${date})`),
    manifest: state.manifest.replace(/("version": ")[^"]*"/, `$1${version}"`),
  }
}

/** True if a version comes after another one; a candidate comes before its release. */
function isAbove(a: string, b: string): boolean {
  const [x, y] = [partsOf(a), partsOf(b)]
  for (const [at, part] of x.numbers.entries()) {
    if (part !== y.numbers[at]) return part > (y.numbers[at] ?? 0)
  }
  if (x.candidate === '' || y.candidate === '') return x.candidate === '' && y.candidate !== ''
  return x.candidate.localeCompare(y.candidate, 'en', { numeric: true }) > 0
}

function partsOf(version: string) {
  const [numbers = '', ...candidate] = version.split('-')
  return { numbers: numbers.split('.').map(Number), candidate: candidate.join('-') }
}
