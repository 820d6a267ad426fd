/** The served versions of a definition beside the stored one, as versions of one kind. */
import { createHash } from 'node:crypto'
import { isObject } from '../../runtime/kernel/values/json.ts'
import type { SchemaFile } from './definition-file.ts'
import type { LeaveOut } from './left-out.ts'
import type { SchemaFileNode } from './structural-schema.ts'

/** The longest name of an annotation behind its domain. */
const longestName = 63

/**
 * The schema file of a version, whose objects are stored in another one. How a server converts them its definition does not say: fields
 * of the same name and type are taken to be the same, and what one version has alone is kept in an annotation.
 */
export function asOtherVersion(other: SchemaFile, stored: SchemaFile, note: LeaveOut): SchemaFile {
  const { group, version } = other.content as { readonly group: string; readonly version: string }
  const differences = new Differences()
  differences.compare(kindOf(stored), kindOf(other), [])
  const name = (path: string, of: unknown) => annotationOf(`${group}/`, `${String(of)}-${path}`)
  const drop = (path: string, of: unknown, side: object) => ({
    ...{ drop: path, ...side },
    annotation: name(path, of),
  })
  const steps = [
    ...differences.older.map((path) => drop(path, stored.content.version, {})),
    ...differences.newer.map((path) => drop(path, version, { of: 'newer' })),
  ]
  for (const path of differences.older) note('what this version has no field for', path)
  for (const path of differences.newer) note('what the stored version has no field for', path)
  const storedAs = `${group}/${String(stored.content.version)}`
  return { ...other, content: withConversion(other.content, storedAs, steps) }
}

/** Paths of fields that one side alone has, or that are of different types. */
class Differences {
  readonly older: string[] = []
  readonly newer: string[] = []

  compare(older: SchemaFileNode, newer: SchemaFileNode, at: readonly string[]): void {
    const [was, is] = [propertiesOf(older), propertiesOf(newer)]
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const path = [...at, name]
      const [a, b] = [own(was, name), own(is, name)]
      if (a !== undefined && b !== undefined && sameType(a, b)) continue
      const structs = a !== undefined && b !== undefined && isStruct(a) && isStruct(b)
      if (structs) this.compare(a, b, path)
      else {
        if (a !== undefined) this.older.push(path.join('.'))
        if (b !== undefined) this.newer.push(path.join('.'))
      }
    }
  }
}

/** The keywords that say what type a value is of; others say which values of it are accepted, and what they mean. */
const typeWords: ReadonlySet<string> = new Set([
  '$ref',
  'additionalProperties',
  'enum',
  'items',
  'oneOf',
  'type',
])

function sameType(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => sameType(item, b[at]))
  }
  if (!isObject(a) || !isObject(b)) return a === b
  for (const word of typeWords) if (!sameType(own(a, word), own(b, word))) return false
  const [was, is] = [propertiesOf(a), propertiesOf(b)]
  const names = Object.keys(was)
  return (
    names.length === Object.keys(is).length &&
    names.every((name) => Object.hasOwn(is, name) && sameType(was[name], is[name]))
  )
}

function isStruct(node: SchemaFileNode): boolean {
  return node.type === 'object' && isObject(node.properties)
}

function propertiesOf({ properties }: SchemaFileNode): SchemaFileNode {
  return isObject(properties) ? properties : {}
}

function own(node: SchemaFileNode, name: string): SchemaFileNode | undefined {
  return Object.hasOwn(node, name) ? (node[name] as SchemaFileNode) : undefined
}

/** The kind of a file: its only definition. */
function kindOf({ content }: SchemaFile): SchemaFileNode {
  const [kind] = Object.values(content.definitions as Readonly<Record<string, SchemaFileNode>>)
  return kind ?? {}
}

function withConversion(
  content: SchemaFileNode,
  storedAs: string,
  steps: readonly object[],
): SchemaFileNode {
  const definitions = Object.entries(
    content.definitions as Readonly<Record<string, SchemaFileNode>>,
  )
  const changed = definitions.map(([name, kind]) => {
    const block = kind['x-orch-kind'] as SchemaFileNode
    const conversion = { from: storedAs, steps }
    return [name, { ...kind, 'x-orch-kind': { ...block, storedAs, conversion } }] as const
  })
  return { ...content, definitions: Object.fromEntries(changed) } as SchemaFileNode
}

function annotationOf(domain: string, text: string): string {
  const name = text.replace(/[^-\w.]/g, '-')
  if (name.length <= longestName) return domain + name
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
  return `${domain}${name.slice(0, longestName - 9)}-${hash}`
}
