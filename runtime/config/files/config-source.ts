/** One text of a configuration: the file that `--config` names, or a fragment of the drop-in directory. */

import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { didYouMean } from '../../kernel/values/spelling.ts'
import { DecodeError, decodeLocated, type LocatedValue } from '../../serializer/serializer.ts'
import type { FeatureGates } from '../feature-gates.ts'
import { type ConfigFinding, sortedFindings } from '../finding.ts'
import { type ConfigValue, entryOf, type ValueLocation } from '../located-value.ts'
import { celRuleFindings } from '../validation/cel-rules.ts'
import { missingFields, schemaFindings } from '../validation/schema-findings.ts'
import { structConstraintFindings } from '../validation/struct-constraints.ts'

export interface ConfigSource {
  /** The name to show: the path as the caller knows it. */
  readonly name: string
  readonly text: string | Uint8Array
  readonly origin: 'file' | 'fragment'
}

/** What a text says, without its kind and apiVersion; and everything that is wrong with it. */
export interface SourceContent {
  readonly root?: ConfigValue
  readonly findings: readonly ConfigFinding[]
}

/**
 * Reads and checks one text on its own. A fragment may leave out what it does not change; a file must have every field
 * that the kind requires.
 */
export async function readSource(kind: ConfigKind, source: ConfigSource): Promise<SourceContent> {
  const { root, findings } = await parseSource(source)
  if (root === undefined) return { findings }
  const read = readContent(kind, root, source.origin)
  return { ...read, findings: [...findings, ...read.findings] }
}

/** The values of a text, whatever its kind: for files that say themselves what they are. */
export async function parseSource(source: ConfigSource): Promise<SourceContent> {
  const place = placer(source)
  let decoded: Awaited<ReturnType<typeof decodeLocated>>
  try {
    decoded = await decodeLocated(source.text)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const { line, column, why } = error
    return { findings: [{ place: place({ line, column }), message: why }] }
  }
  const duplicates = decoded.duplicates.map(({ key, at }) => ({
    place: place(at),
    message: `${key}: this key stands twice in its mapping`,
  }))
  const problems = decoded.problems.map(({ why, at }) => ({ place: place(at), message: why }))
  return { root: relocated(decoded.root, place), findings: [...duplicates, ...problems] }
}

/** Reads and checks a value that is a text of its own, or stands inside another one. */
export function readContent(
  kind: ConfigKind,
  root: ConfigValue,
  origin: ConfigSource['origin'],
): SourceContent {
  if (root.is !== 'map') {
    return { findings: [{ place: root.at, message: `expected a ${kind.kind}: a mapping` }] }
  }
  const head = [
    ...headFinding(root, 'apiVersion', kind.apiVersion),
    ...headFinding(root, 'kind', kind.kind),
  ]
  const body: ConfigValue = {
    ...root,
    entries: root.entries.filter(({ key }) => key !== 'apiVersion' && key !== 'kind'),
  }
  const findings = [
    ...head,
    ...schemaFindings(kind, body),
    ...(origin === 'file' ? missingFields(kind.type, body) : []),
  ]
  return { root: body, findings }
}

/** Everything that is wrong with one text, what its fields must fulfil together included. */
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

function headFinding(root: ConfigValue, key: string, wanted: string): readonly ConfigFinding[] {
  const entry = entryOf(root, key)
  if (entry === undefined) return [{ place: root.at, message: `${key}: Required value: ${wanted}` }]
  const { value } = entry
  const given = value.is === 'scalar' ? value.value : undefined
  if (given === wanted) return []
  const near = typeof given === 'string' ? didYouMean(given, [wanted]) : ''
  const shown = given === undefined ? value.is : JSON.stringify(given)
  return [{ place: value.at, message: `${key}: must be ${wanted}, not ${shown}${near}` }]
}

function placer({ name, origin }: ConfigSource) {
  return ({ line, column }: { line: number; column: number }): ValueLocation => ({
    origin,
    text: `${name}:${line}:${column}`,
    spot: { file: name, line, column },
  })
}

function relocated(node: LocatedValue, place: ReturnType<typeof placer>): ConfigValue {
  const at = place(node.at)
  switch (node.is) {
    case 'scalar':
      return { ...node, at }
    case 'list':
      return { is: 'list', at, items: node.items.map((item) => relocated(item, place)) }
    case 'map':
      return {
        is: 'map',
        at,
        entries: node.entries.map(({ key, keyAt, value }) => ({
          key,
          keyAt: place(keyAt),
          value: relocated(value, place),
        })),
      }
  }
}
