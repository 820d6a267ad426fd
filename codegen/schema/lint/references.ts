/** Lint: fields that name other objects (`x-orch-references`). */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { checkShape } from '../build/mapping-shape.ts'
import { keywordPrefix } from '../build/markers.ts'
import type { Report } from '../finding.ts'
import { referenceShape } from '../keys/reference-keys.ts'
import type { NamedType, StructType, Type } from '../named-type.ts'
import { get, items, text, type YamlNode } from '../yaml/node.ts'
import { type LintRule, typesById } from './lint-rule.ts'

type Types = ReadonlyMap<string, NamedType>

/** Names, and what stands beside them, are texts that the struct has; either the row or a field says the kind. */
export const checkReferences: LintRule = (built, report) => {
  const types = typesById(built)
  for (const { id, node, schema } of built.definitions.fresh) {
    if (!schema.markers.has('references')) continue
    const struct = types.get(id)
    for (const row of items(get(node, `${keywordPrefix}references`))) {
      if (!checkShape(row, 'a reference', referenceShape, report)) continue
      checkKind(row, report)
      if (struct?.is === 'struct') checkFields(row, struct, types, report)
    }
  }
}

function checkKind(row: YamlNode, report: Report): void {
  const [kind, field] = [get(row, 'kind'), get(row, 'kindField')]
  if ((kind === undefined) === (field === undefined)) {
    report(row.at, 'wrong-value', 'a reference has either "kind" or "kindField"')
  }
  const [group, groupField] = [get(row, 'group'), get(row, 'groupField')]
  if (group !== undefined && groupField !== undefined) {
    report(groupField.at, 'wrong-value', 'a reference has "group" or "groupField", not both')
  }
}

function checkFields(row: YamlNode, struct: StructType, types: Types, report: Report): void {
  const field = get(row, 'field')
  const path = text(field)
  if (field === undefined || path === undefined) return
  const dot = path.lastIndexOf('.')
  const holder = structAt(path.slice(0, Math.max(dot, 0)), struct, types, field, report)
  if (holder === undefined) return
  const wanted: readonly (readonly [YamlNode, string])[] = [
    [field, path.slice(dot + 1)],
    ...['kindField', 'groupField', 'namespaceField', 'keys'].flatMap((key) => {
      const node = get(row, key)
      const own = text(node)
      return node === undefined || own === undefined ? [] : [[node, own] as const]
    }),
  ]
  for (const [node, own] of wanted) {
    const [last = '', ...before] = own.split('.').reverse()
    const at = structAt(before.reverse().join('.'), holder, types, node, report)
    if (at !== undefined) checkText(last, at, types, node, report)
  }
}

/** The struct at a path; what leads nowhere is reported. */
function structAt(
  path: string,
  from: StructType,
  types: Types,
  node: YamlNode,
  report: Report,
): StructType | undefined {
  let struct = from
  for (const step of path === '' ? [] : path.split('.')) {
    const found = fieldOf(step.replace(/\[\]$/, ''), struct, node, report)
    if (found === undefined) return undefined
    const type = step.endsWith('[]') ? (found.is === 'list' ? found.items : undefined) : found
    const named = type?.is === 'ref' ? types.get(type.to) : undefined
    if (named?.is !== 'struct') {
      report(node.at, 'unknown-field', `"${step}" of "${struct.id}" leads to no struct`)
      return undefined
    }
    struct = named
  }
  return struct
}

/** The type of a field. `apiVersion` and `kind` of a root are implied, and name nothing but itself. */
function fieldOf(
  name: string,
  { id, fields }: StructType,
  node: YamlNode,
  report: Report,
): Type | undefined {
  const found = fields.find((field) => field.name === name)
  if (found !== undefined) return found.type
  const names = fields.map((field) => field.name)
  report(node.at, 'unknown-field', `"${name}" is not a field of "${id}"${didYouMean(name, names)}`)
  return undefined
}

function checkText(
  name: string,
  struct: StructType,
  types: Types,
  node: YamlNode,
  report: Report,
): void {
  const type = fieldOf(name, struct, node, report)
  if (type === undefined || type.is === 'string') return
  if (type.is === 'ref' && types.get(type.to)?.is === 'enum') return
  report(node.at, 'unknown-field', `"${name}" of "${struct.id}" is no text, so it names nothing`)
}
