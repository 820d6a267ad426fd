import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme, VersionRemoval } from '../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'
import { nearestName } from '../kernel/values/spelling.ts'

/** What of a scheme is served, and what was wrong with the words that chose it. */
export interface ServedScheme {
  readonly scheme: Scheme
  readonly problems: readonly string[]
}

/**
 * The part of a tree that a server shows: what is neither off by default nor removed in the tree's release, then as the
 * words of --runtime-config say. Each word is `<key>` or `<key>=<true or false>`; the narrower key wins whatever the
 * order: `api/all`, then `api/ga`, `api/beta` and `api/alpha`, then `<group>/<version>` (`api/v1` or `v1` for the core
 * group), then `<group>/<version>/<resource>`. Of what is stored nothing is lost by not being shown.
 */
export function servedScheme(scheme: Scheme, words: readonly string[]): ServedScheme {
  const { choices, problems } = parseWords(words)
  const known = knownKeys(scheme)
  const unknown = [...choices.keys()]
    .filter((key) => !known.has(key) && !isStabilityKey(key))
    .map((key) => unknownKey(key, known))
  const routes = Object.entries(scheme.routes).filter(
    ([, kind]) => !isRemoved(scheme, kind) && isOn(scheme, kind, choices),
  )
  const all = [...problems, ...unknown]
  if (routes.length === 0) all.push('--runtime-config leaves nothing to serve')
  return { scheme: withRoutes(scheme, Object.fromEntries(routes)), problems: all }
}

/** The scheme with these routes alone, and the schema documents of their versions. */
function withRoutes(scheme: Scheme, routes: Scheme['routes']): Scheme {
  const versions = new Set(Object.values(routes).map((kind) => versionDocumentPath(kind)))
  return {
    ...scheme,
    routes,
    async openapi() {
      const documents = Object.entries(await scheme.openapi())
      return Object.fromEntries(documents.filter(([key]) => versions.has(key)))
    },
  }
}

/** True or false by key: what the words say. */
type Choices = ReadonlyMap<string, boolean>

/** Keys that choose by the stability of versions. */
const stabilityKeys = ['api/all', 'api/ga', 'api/beta', 'api/alpha'] as const

function isStabilityKey(key: string): boolean {
  return stabilityKeys.some((one) => one === key)
}

/** The choices that words make; of a key that stands twice, the last. */
function parseWords(words: readonly string[]): {
  readonly choices: Choices
  readonly problems: readonly string[]
} {
  const choices = new Map<string, boolean>()
  const problems: string[] = []
  for (const word of words.filter((one) => one !== '')) {
    const [key = '', value = 'true', ...rest] = word.split('=')
    const on = rest.length > 0 ? undefined : truth(value)
    if (on === undefined) {
      problems.push(`--runtime-config: ${word}: the value must be true or false`)
    } else {
      choices.set(key.trim().replace(/^(v\w+)(?=\/|$)/, 'api/$1'), on)
    }
  }
  return { choices, problems }
}

/** The values that the public flag takes; undefined for any other. */
function truth(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (['', 'true', '1', 't'].includes(word)) return true
  return ['false', '0', 'f'].includes(word) ? false : undefined
}

/** Keys of versions and resources as they are written: `apps/v1`, `apps/v1/deployments`, `api/v1`, `api/v1/pods`. */
function knownKeys(scheme: Scheme): ReadonlySet<string> {
  const kinds = Object.values(scheme.routes)
  return new Set(kinds.flatMap((kind) => [versionKey(kind), `${versionKey(kind)}/${kind.plural}`]))
}

function unknownKey(key: string, known: ReadonlySet<string>): string {
  const near = nearestName(key, [...stabilityKeys, ...known])
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return `--runtime-config: ${key} is no API that this server has${hint}`
}

/** The narrowest choice decides; without any, what is on by default. */
function isOn(scheme: Scheme, kind: AnyKind, choices: Choices): boolean {
  const version = versionKey(kind)
  const group = scheme.groups.find((one) => one.group === kind.group)
  return (
    choices.get(`${version}/${kind.plural}`) ??
    choices.get(version) ??
    choices.get(`api/${stabilityOf(kind.version)}`) ??
    choices.get('api/all') ??
    group?.off?.includes(kind.version) !== true
  )
}

/** By the name of the version. */
function stabilityOf(version: string): 'alpha' | 'beta' | 'ga' {
  return version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga'
}

function versionKey(kind: AnyKind): string {
  return kind.group === '' ? `api/${kind.version}` : apiVersionOf(kind)
}

function versionDocumentPath(kind: AnyKind): string {
  return `${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`
}

/** True for a kind that the scheme's own release does not have any more. */
function isRemoved({ removals = [], platform }: Scheme, kind: AnyKind): boolean {
  const row = removals.find((one) => concerns(one, kind))
  return row !== undefined && minorOf(row.removed) <= minorOf(platform.release)
}

function concerns({ group, version, resources }: VersionRemoval, kind: AnyKind): boolean {
  return group === kind.group && version === kind.version && Object.hasOwn(resources, kind.plural)
}

function minorOf(release: string): number {
  return Number(release.split('.')[1])
}
