/** Values that say themselves what kind they are of. */
import type { ConfigKind } from '../kernel/config.ts'
import { hint, nearest } from '../kernel/nearest.ts'
import { createReport } from '../kernel/read.ts'
import type { FeatureGates } from './features.ts'
import { type ConfigFinding, sortedFindings } from './finding.ts'
import { entryOf, type Placed, plainOf } from './place.ts'
import { ruleFindings } from './rules.ts'
import { type ConfigSource, openSource, readPart } from './source.ts'
import { structFindings } from './struct-findings.ts'

/** Kinds of configuration by apiVersion and kind, each loaded when it is asked for. */
export type ConfigKinds = Readonly<Record<string, () => Promise<ConfigKind>>>

/** A value with its defaults; undefined if anything is wrong with it. */
export interface Named {
  readonly value?: unknown
  /** The value with its places, without kind and apiVersion. */
  readonly body?: Placed
  readonly findings: readonly ConfigFinding[]
}

/** Reads and checks a value by the kind that it names, which has to be called `wanted`. */
export async function readNamed(
  kinds: ConfigKinds,
  root: Placed,
  wanted: string,
  gates: FeatureGates,
): Promise<Named> {
  const key = keyOf(root)
  const offered = Object.keys(kinds).filter((one) => one.endsWith(`/${wanted}`))
  const load = offered.includes(key) ? kinds[key] : undefined
  if (load === undefined) {
    const near = nearest(key, offered) ?? offered[0]
    const message = `expected a ${wanted}, not ${key}${near === undefined ? '' : `; did you mean ${near}?`}`
    return { findings: [{ place: root.at, message }] }
  }
  const kind = await load()
  const { root: body, findings: read } = readPart(kind, root, 'file')
  if (body === undefined) return { findings: read }
  const findings = [
    ...read,
    ...structFindings(kind, body, gates),
    ...(await ruleFindings(kind, body, read.length > 0)),
  ]
  if (findings.length > 0) return { findings: sortedFindings(findings) }
  return { value: kind.read(plainOf(body), createReport()), body, findings }
}

/** The kind that a text says it is of, as a key of kinds; undefined for one that cannot be read. */
export async function kindNamed(source: ConfigSource): Promise<string | undefined> {
  const { root } = await openSource(source)
  return root === undefined ? undefined : keyOf(root)
}

/** Everything that is wrong with a text of whatever kind it says it is. */
export async function checkNamed(
  kinds: ConfigKinds,
  source: ConfigSource,
  gates: FeatureGates,
): Promise<readonly ConfigFinding[]> {
  const { root, findings } = await openSource(source)
  if (root === undefined) return findings
  const key = keyOf(root)
  const load = Object.hasOwn(kinds, key) ? kinds[key] : undefined
  if (load === undefined) return sortedFindings([...findings, ...unnamed(kinds, root)])
  const kind = await load()
  const { root: body = root, findings: read } = readPart(kind, root, 'file')
  const found = [...findings, ...read]
  return sortedFindings([
    ...found,
    ...structFindings(kind, body, gates),
    ...(await ruleFindings(kind, body, found.length > 0)),
  ])
}

/** Why a value names no kind: at the word that is missing or unknown. */
function unnamed(kinds: ConfigKinds, root: Placed): readonly ConfigFinding[] {
  if (root.is !== 'map') {
    return [
      { place: root.at, message: 'expected a configuration: a mapping with apiVersion and kind' },
    ]
  }
  const names = Object.keys(kinds).map((key) => {
    const slash = key.lastIndexOf('/')
    return { apiVersion: key.slice(0, slash), kind: key.slice(slash + 1) }
  })
  const [apiVersion, kind] = [textAt(root, 'apiVersion'), textAt(root, 'kind')]
  const missing = (['apiVersion', 'kind'] as const)
    .filter((key) => entryOf(root, key) === undefined)
    .map((key) => ({ place: root.at, message: `${key}: Required value` }))
  if (missing.length > 0) return missing
  const ofVersion = names.filter((each) => each.apiVersion === apiVersion)
  const [key, given, known] =
    ofVersion.length > 0
      ? (['kind', kind, ofVersion.map((each) => each.kind)] as const)
      : (['apiVersion', apiVersion, versionsOf(names, kind)] as const)
  const elsewhere = names.filter((each) => key === 'kind' && each.kind === kind)
  const near =
    elsewhere.length > 0
      ? `; it is one of ${elsewhere.map((each) => each.apiVersion).join(', ')}`
      : hint(given, known)
  const place = entryOf(root, key)!.value.at
  const what = key === 'kind' ? `no configuration of ${apiVersion}` : 'of no configuration'
  return [{ place, message: `${key}: ${JSON.stringify(given)} is ${what}${near}` }]
}

/** The versions to look for a similar one among: those of the kind's name if anything is called so. */
function versionsOf(
  names: readonly { readonly apiVersion: string; readonly kind: string }[],
  kind: string,
): readonly string[] {
  const called = names.filter((each) => each.kind === kind)
  return (called.length > 0 ? called : names).map(({ apiVersion }) => apiVersion)
}

function keyOf(root: Placed): string {
  return `${textAt(root, 'apiVersion')}/${textAt(root, 'kind')}`
}

function textAt(root: Placed, key: string): string {
  const value = entryOf(root, key)?.value
  return value?.is === 'scalar' && typeof value.value === 'string' ? value.value : ''
}
