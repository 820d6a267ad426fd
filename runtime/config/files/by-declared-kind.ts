/** Configuration files that are read by the kind they declare: `apiVersion` and `kind` of the text choose the schema. */
import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { didYouMean, nearestName } from '../../kernel/values/spelling.ts'
import type { FeatureGates } from '../gates/feature-gates.ts'
import { celRuleFindings } from '../validation/cel-rules.ts'
import { structConstraintFindings } from '../validation/struct-constraints.ts'
import { type ConfigFinding, sortedFindings } from '../value/finding.ts'
import { type ConfigValue, entryOf, toPlainValue } from '../value/located-value.ts'
import { type ConfigSource, parseSource, readContent } from './config-source.ts'

/** Kinds of configuration by `apiVersion/kind`, each imported on first use. */
export type ConfigKinds = Readonly<Record<string, () => Promise<ConfigKind>>>

/** A value read by the kind that it declares. */
export interface DeclaredValue {
  /** The value with its defaults; absent if there are findings. */
  readonly value?: unknown
  /** What was set, with locations, without kind and apiVersion; absent if there are findings. */
  readonly body?: ConfigValue
  readonly findings: readonly ConfigFinding[]
}

/** Reads and checks a value that must declare the kind `wanted`, of any version among `kinds`. */
export async function readOfKind(
  kinds: ConfigKinds,
  root: ConfigValue,
  wanted: string,
  gates: FeatureGates,
): Promise<DeclaredValue> {
  const key = declaredKindKey(root)
  const offered = Object.keys(kinds).filter((one) => one.endsWith(`/${wanted}`))
  const load = offered.includes(key) ? kinds[key] : undefined
  if (load === undefined) {
    const near = nearestName(key, offered) ?? offered[0]
    const message = `expected a ${wanted}, not ${key}${near === undefined ? '' : `; did you mean ${near}?`}`
    return { findings: [{ location: root.at, message }] }
  }
  const kind = await load()
  const { root: body, findings: read } = readContent(kind, root, 'file')
  if (body === undefined) return { findings: read }
  const findings = [
    ...read,
    ...structConstraintFindings(kind, body, gates),
    ...(await celRuleFindings(kind, body, read.length > 0)),
  ]
  if (findings.length > 0) return { findings: sortedFindings(findings) }
  return { value: kind.read(toPlainValue(body), createReport()), body, findings }
}

/** The kind that a text declares, as `apiVersion/kind`; undefined for a text that cannot be parsed. */
export async function declaredKindOf(source: ConfigSource): Promise<string | undefined> {
  const { root } = await parseSource(source)
  return root === undefined ? undefined : declaredKindKey(root)
}

/** Everything that is wrong with a text, by the kind that it declares. */
export async function checkDeclaredKind(
  kinds: ConfigKinds,
  source: ConfigSource,
  gates: FeatureGates,
): Promise<readonly ConfigFinding[]> {
  const { root, findings } = await parseSource(source)
  if (root === undefined) return findings
  const key = declaredKindKey(root)
  const load = Object.hasOwn(kinds, key) ? kinds[key] : undefined
  if (load === undefined) return sortedFindings([...findings, ...unknownKindFindings(kinds, root)])
  const kind = await load()
  const { root: body = root, findings: read } = readContent(kind, root, 'file')
  const found = [...findings, ...read]
  return sortedFindings([
    ...found,
    ...structConstraintFindings(kind, body, gates),
    ...(await celRuleFindings(kind, body, found.length > 0)),
  ])
}

/** Why a value declares no known kind, at the word that is missing or unknown. */
function unknownKindFindings(kinds: ConfigKinds, root: ConfigValue): readonly ConfigFinding[] {
  if (root.is !== 'map') {
    const message = 'expected a configuration: a mapping with apiVersion and kind'
    return [{ location: root.at, message }]
  }
  const missing = (['apiVersion', 'kind'] as const)
    .filter((key) => entryOf(root, key) === undefined)
    .map((key) => ({ location: root.at, message: `${key}: Required value` }))
  if (missing.length > 0) return missing
  const [apiVersion, kind] = [stringField(root, 'apiVersion'), stringField(root, 'kind')]
  const { key, message } = unknownKindProblem(Object.keys(kinds).map(kindOfKey), apiVersion, kind)
  return [{ location: entryOf(root, key)!.value.at, message }]
}

/** A kind of configuration, by name. */
interface KindName {
  readonly apiVersion: string
  readonly kind: string
}

/** `apiVersion/kind`, where the version has a slash of its own. */
function kindOfKey(key: string): KindName {
  const slash = key.lastIndexOf('/')
  return { apiVersion: key.slice(0, slash), kind: key.slice(slash + 1) }
}

/** Blames the kind if there are any kinds of the version, the version otherwise. */
function unknownKindProblem(
  known: readonly KindName[],
  apiVersion: string,
  kind: string,
): { readonly key: 'apiVersion' | 'kind'; readonly message: string } {
  const ofVersion = known.filter((each) => each.apiVersion === apiVersion)
  if (ofVersion.length === 0) {
    const suggestion = didYouMean(apiVersion, versionsOf(known, kind))
    const message = `apiVersion: ${JSON.stringify(apiVersion)} is of no configuration${suggestion}`
    return { key: 'apiVersion', message }
  }
  const others = known.filter((each) => each.kind === kind).map((each) => each.apiVersion)
  const kinds = ofVersion.map((each) => each.kind)
  const suggestion =
    others.length > 0 ? `; it is one of ${others.join(', ')}` : didYouMean(kind, kinds)
  const message = `kind: ${JSON.stringify(kind)} is no configuration of ${apiVersion}${suggestion}`
  return { key: 'kind', message }
}

/** The versions to suggest from: those that have the kind, or all of them if none has. */
function versionsOf(names: readonly KindName[], kind: string): readonly string[] {
  const called = names.filter((each) => each.kind === kind)
  return (called.length > 0 ? called : names).map(({ apiVersion }) => apiVersion)
}

/** What the text declares as `apiVersion/kind`; parts that are missing are empty. */
function declaredKindKey(root: ConfigValue): string {
  return `${stringField(root, 'apiVersion')}/${stringField(root, 'kind')}`
}

/** The text of a field of the root; empty if it has none. */
function stringField(root: ConfigValue, key: string): string {
  const value = entryOf(root, key)?.value
  return value?.is === 'scalar' && typeof value.value === 'string' ? value.value : ''
}
