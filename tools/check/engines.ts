/** The oldest Node that package.json promises, beside what the packages that users install with it ask for. */

/** What a lock file says of an installed package. */
export interface LockedPackage {
  readonly version?: string
  readonly dev?: boolean
  readonly engines?: { readonly node?: string }
}

/**
 * The packages of a lock file that do not run on the oldest Node of its own package, but for those that only its developers
 * install.
 */
export function checkEngines(packages: Readonly<Record<string, LockedPackage>>): readonly string[] {
  const oldest = /^>=([\d.]+)$/.exec(packages['']?.engines?.node ?? '')?.[1]
  if (oldest === undefined) return ['package.json: engines.node is not of the form >=MAJOR.MINOR']
  return Object.entries(packages)
    .filter(([, { dev, engines }]) => !dev && !admits(engines?.node ?? '*', oldest))
    .map(([path, { version, engines }]) => {
      const name = path.replace(/^.*node_modules\//, '')
      return `${name} ${version} wants Node ${engines?.node}, package.json promises ${oldest}`
    })
}

/** True if a range of versions holds a version: sets of comparators, of which one has to hold whole. */
export function admits(range: string, version: string): boolean {
  const asked = numbersOf(version)
  return range.split('||').some((set) => {
    const comparators = set
      .replace(/([<>=~^])\s+/g, '$1')
      .trim()
      .split(/\s+/)
    return comparators.every((comparator) => holds(comparator, asked))
  })
}

/** True if a version keeps one comparator: `>=20.17`, `^18`, `20.x`, `*`. */
function holds(comparator: string, version: readonly number[]): boolean {
  const [, operator = '', bound = ''] = /^([<>]=?|[=~^]|)v?(.*)$/.exec(comparator) ?? []
  const said = numbersOf(bound)
  const order = compare(version, said)
  // What is not said stands for everything that begins with what is.
  const within = said.every((part, at) => part === (version[at] ?? 0))
  switch (operator) {
    case '>=':
      return order >= 0
    case '>':
      return order > 0 && !within
    case '<':
      return order < 0
    case '<=':
      return order <= 0 || within
    case '^':
      return order >= 0 && version[0] === (said[0] ?? version[0])
    case '~':
      return order >= 0 && said.slice(0, 2).every((part, at) => part === version[at])
    default:
      return within
  }
}

/** The numbers of a version, as far as they are said: `20.x` is 20. */
function numbersOf(version: string): readonly number[] {
  const parts = version.split('.').map(Number)
  const end = parts.findIndex((part) => Number.isNaN(part))
  return version === '' ? [] : parts.slice(0, end < 0 ? undefined : end)
}

/** The order of two versions, in which what is not said is 0. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = [0, 1, 2].find((place) => (a[place] ?? 0) !== (b[place] ?? 0))
  return at === undefined ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
