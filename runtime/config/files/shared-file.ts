/** Files that programs of others read and write, too, such as the one that says where servers are. */
import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { schemaFindings } from '../validation/schema-findings.ts'
import { type ConfigFinding, formatFindings, sortedFindings } from '../value/finding.ts'
import { type ConfigValue, entryOf, toPlainValue } from '../value/located-value.ts'
import { readConfigFile } from './config-files.ts'
import { parseSource } from './config-source.ts'

/** A file that was read, or why it cannot be. */
export interface SharedFile {
  /** By the kind's reader, with its defaults; absent if there are problems. */
  readonly value?: unknown
  /** Each with its place, and the line in question. */
  readonly problems: readonly string[]
}

/**
 * Reads a file of a kind. It need not say its kind, an empty one is an empty mapping, and fields that the kind does not have
 * are left out, but for those that look like a misspelt one.
 */
export async function readSharedFile(kind: ConfigKind, path: string): Promise<SharedFile> {
  const location = { origin: 'file', text: '' } as const
  const { sources, findings: unread } = await readConfigFile(path, 'fragment', location)
  const [source] = sources
  if (source === undefined) return { problems: unread.map(({ message }) => message) }
  const { root, findings: syntax } = await parseSource(source)
  const findings = [...syntax, ...(root === undefined ? [] : contentFindings(kind, root))]
  if (root === undefined || findings.length > 0) {
    return { problems: formatFindings(sortedFindings(findings), [source]) }
  }
  return { value: kind.read(toPlainValue(bodyOf(root)), createReport()), problems: [] }
}

function contentFindings(kind: ConfigKind, root: ConfigValue): readonly ConfigFinding[] {
  if (root.is === 'scalar' && root.value === null) return []
  if (root.is !== 'map') {
    return [{ location: root.at, message: `expected a ${kind.kind}: a mapping` }]
  }
  const said = (['apiVersion', 'kind'] as const).flatMap((key) => {
    const value = entryOf(root, key)?.value
    if (value === undefined || (value.is === 'scalar' && value.value === kind[key])) return []
    return [{ location: value.at, message: `${key}: must be ${kind[key]}` }]
  })
  return [...said, ...schemaFindings(kind, bodyOf(root), 'ignored')]
}

/** What a file says beside its kind. */
function bodyOf(root: ConfigValue): ConfigValue {
  const entries = root.is === 'map' ? root.entries : []
  const own = entries.filter(({ key }) => key !== 'apiVersion' && key !== 'kind')
  return { is: 'map', entries: own, at: root.at }
}
