/** Configuration files that are read by the kind they declare: `apiVersion` and `kind` of the text choose the schema. */
import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { didYouMean, nearestName } from '../../kernel/values/spelling.ts'
import type { FeatureGates } from '../feature-gates.ts'
import { type ConfigFinding, sortedFindings } from '../finding.ts'
import { type ConfigValue, entryOf, toPlainValue } from '../located-value.ts'
import { celRuleFindings } from '../validation/cel-rules.ts'
import { structConstraintFindings } from '../validation/struct-constraints.ts'
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
    return [
      {
        location: root.at,
        message: 'expected a configuration: a mapping with apiVersion and kind',
      },
    ]
  }
  const names = Object.keys(kinds).map((key) => {
    const slash = key.lastIndexOf('/')
    return { apiVersion: key.slice(0, slash), kind: key.slice(slash + 1) }
  })
  const [apiVersion, kind] = [stringField(root, 'apiVersion'), stringField(root, 'kind')]
  const missing = (['apiVersion', 'kind'] as const)
    .filter((key) => entryOf(root, key) === undefined)
    .map((key) => ({ location: root.at, message: `${key}: Required value` }))
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
      : didYouMean(given, known)
  const location = entryOf(root, key)!.value.at
  const what = key === 'kind' ? `no configuration of ${apiVersion}` : 'of no configuration'
  return [{ location, message: `${key}: ${JSON.stringify(given)} is ${what}${near}` }]
}

/** The versions to suggest from: those that have the kind, or all of them if none has. */
function versionsOf(
  names: readonly { readonly apiVersion: string; readonly kind: string }[],
  kind: string,
): readonly string[] {
  const called = names.filter((each) => each.kind === kind)
  return (called.length > 0 ? called : names).map(({ apiVersion }) => apiVersion)
}

function declaredKindKey(root: ConfigValue): string {
  return `${stringField(root, 'apiVersion')}/${stringField(root, 'kind')}`
}

function stringField(root: ConfigValue, key: string): string {
  const value = entryOf(root, key)?.value
  return value?.is === 'scalar' && typeof value.value === 'string' ? value.value : ''
}
