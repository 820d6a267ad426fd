/** One text of a configuration: the file that `--config` names, or a fragment of the drop-in directory. */

import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { didYouMean } from '../../kernel/values/spelling.ts'
import {
  DecodeError,
  decodeLocated,
  type LocatedValue,
  type TextPosition,
} from '../../serializer/serializer.ts'
import type { FeatureGates } from '../gates/feature-gates.ts'
import { celRuleFindings } from '../validation/cel-rules.ts'
import { missingFields, schemaFindings } from '../validation/schema-findings.ts'
import { structConstraintFindings } from '../validation/struct-constraints.ts'
import { type ConfigFinding, sortedFindings } from '../value/finding.ts'
import { type ConfigValue, entryOf, type ValueLocation } from '../value/located-value.ts'

/** A text to be read as configuration. */
export interface ConfigSource {
  /** The name that messages show: the path as the caller knows it. */
  readonly name: string
  /** YAML or JSON; bytes are UTF-8. */
  readonly text: string | Uint8Array
  /** A fragment may leave out what it does not change. */
  readonly origin: 'file' | 'fragment'
}

/** What a text says, without its kind and apiVersion, and everything that is wrong with it. */
export interface SourceContent {
  /** Absent if the text cannot be read. */
  readonly root?: ConfigValue
  readonly findings: readonly ConfigFinding[]
}

/**
 * Reads a text and checks it against the schema of its kind. A fragment may leave out what it does not change; a file must
 * have every required field.
 */
export async function readSource(kind: ConfigKind, source: ConfigSource): Promise<SourceContent> {
  const { root, findings } = await parseSource(source)
  if (root === undefined) return { findings }
  const content = readContent(kind, root, source.origin)
  return { ...content, findings: [...findings, ...content.findings] }
}

/** Parses a text of any kind, checking nothing but its syntax. */
export async function parseSource(source: ConfigSource): Promise<SourceContent> {
  const locate = locator(source)
  let decoded: Awaited<ReturnType<typeof decodeLocated>>
  try {
    decoded = await decodeLocated(source.text)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { findings: [{ location: locate(error.at), message: error.why }] }
  }
  const duplicates = decoded.duplicates.map(({ key, at }) => ({
    location: locate(at),
    message: `${key}: this key stands twice in its mapping`,
  }))
  const problems = decoded.problems.map(({ why, at }) => ({ location: locate(at), message: why }))
  return { root: withLocations(decoded.root, locate), findings: [...duplicates, ...problems] }
}

/** Checks a parsed value, a whole text or a part of one, against the schema of its kind. */
export function readContent(
  kind: ConfigKind,
  root: ConfigValue,
  origin: ConfigSource['origin'],
): SourceContent {
  if (root.is !== 'map') {
    return { findings: [{ location: root.at, message: `expected a ${kind.kind}: a mapping` }] }
  }
  const type = [
    ...typeFinding(root, 'apiVersion', kind.apiVersion),
    ...typeFinding(root, 'kind', kind.kind),
  ]
  const body: ConfigValue = {
    ...root,
    entries: root.entries.filter(({ key }) => key !== 'apiVersion' && key !== 'kind'),
  }
  const findings = [
    ...type,
    ...schemaFindings(kind, body),
    ...(origin === 'file' ? missingFields(kind.type, body) : []),
  ]
  return { root: body, findings }
}

/** Everything that is wrong with one text: syntax, schema, constraints between fields, and validation rules. */
export async function checkSource(
  kind: ConfigKind,
  source: ConfigSource,
  gates: FeatureGates,
): Promise<readonly ConfigFinding[]> {
  const { root, findings } = await readSource(kind, source)
  if (root === undefined) return sortedFindings(findings)
  return sortedFindings([
    ...findings,
    ...structConstraintFindings(kind, root, gates),
    ...(await celRuleFindings(kind, root, findings.length > 0)),
  ])
}

/** What is wrong with the `apiVersion` or `kind` of a text. */
function typeFinding(root: ConfigValue, key: string, wanted: string): readonly ConfigFinding[] {
  const entry = entryOf(root, key)
  if (entry === undefined) {
    return [{ location: root.at, message: `${key}: Required value: ${wanted}` }]
  }
  const { value } = entry
  const actual = value.is === 'scalar' ? value.value : undefined
  if (actual === wanted) return []
  const suggestion = typeof actual === 'string' ? didYouMean(actual, [wanted]) : ''
  const shown = actual === undefined ? value.is : JSON.stringify(actual)
  const message = `${key}: must be ${wanted}, not ${shown}${suggestion}`
  return [{ location: value.at, message }]
}

/** Makes a location of a position in the text, or of the text as a whole. */
type Locator = (position: TextPosition | undefined) => ValueLocation

function locator({ name, origin }: ConfigSource): Locator {
  return (at) => {
    if (at === undefined) return { origin, text: name }
    const position = { file: name, ...at }
    return { origin, text: `${name}:${at.line}:${at.column}`, position }
  }
}

/** The value with the name of its text in every location. */
function withLocations(node: LocatedValue, locate: Locator): ConfigValue {
  const at = locate(node.at)
  switch (node.is) {
    case 'scalar':
      return { ...node, at }
    case 'list':
      return { is: 'list', at, items: node.items.map((item) => withLocations(item, locate)) }
    case 'map':
      return {
        is: 'map',
        at,
        entries: node.entries.map(({ key, keyAt, value }) => ({
          key,
          keyAt: locate(keyAt),
          value: withLocations(value, locate),
        })),
      }
  }
}
