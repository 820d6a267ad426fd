/** What the generated reader of a configuration's kind reports, with locations and in words that fit a file. */
import type { ConfigField, ConfigKind, ConfigStruct } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { typeMessage } from '../../kernel/validation/type-message.ts'
import { didYouMean } from '../../kernel/values/spelling.ts'
import type { ConfigFinding } from '../value/finding.ts'
import { type ConfigValue, entryOf, followPath, toPlainValue } from '../value/located-value.ts'
import { fieldOf } from '../value/merge.ts'

/**
 * Types, values and unknown fields that the reader of `kind` refuses. A field of the wrong type has one finding only. In a file
 * that other programs write, too, an unknown field may be theirs: it is refused if it looks like a known one.
 */
export function schemaFindings(
  kind: ConfigKind,
  root: ConfigValue,
  foreignFields: 'refused' | 'ignored' = 'refused',
): readonly ConfigFinding[] {
  const report = createReport()
  kind.read(toPlainValue(root), report)
  const { typeErrors: types, unknownFields: unknown } = report
  const mistyped = new Set(types.map(({ path }) => path))
  const findings = report.errors.filter(({ path }) => !mistyped.has(path))
  return [
    ...types.map(({ path, message }) => finding(root, path, typeMessage(message))),
    ...findings.map(({ path, message }) => finding(root, path, message)),
    ...unknown.flatMap((path) => unknownField(kind, root, path, foreignFields) ?? []),
  ]
}

/** A report's path as a location; a message without a path is about the whole text. */
function finding(root: ConfigValue, path: string, message: string): ConfigFinding {
  return {
    location: followPath(root, path).node.at,
    message: path === '' ? message : `${path}: ${message}`,
  }
}

/** The location is that of the key. The names of the struct's fields are suggested; undefined for a field that may be foreign. */
function unknownField(
  kind: ConfigKind,
  root: ConfigValue,
  path: string,
  foreignFields: 'refused' | 'ignored',
): ConfigFinding | undefined {
  const { node, entry } = followPath(root, path)
  const name = entry?.key ?? path
  const parent = path.slice(0, path.length - name.length).replace(/\.$/, '')
  const struct = structAt(kind.type, parent)
  const near = struct === undefined ? '' : didYouMean(name, Object.keys(struct.fields))
  if (near === '' && foreignFields === 'ignored') return undefined
  return { location: entry?.keyAt ?? node.at, message: `${path}: unknown field${near}` }
}

/** The struct at a path of a report. */
function structAt(root: ConfigStruct, path: string): ConfigStruct | undefined {
  let struct: ConfigStruct | undefined = root
  for (const step of path === '' ? [] : path.split('.')) {
    struct = struct && fieldOf(struct, step.replace(/\[.*$/, ''))?.struct?.()
  }
  return struct
}

/** The required fields that a file lacks, each at the mapping around it. Defaults do not count: a file must say them. */
export function missingFields(
  struct: ConfigStruct,
  node: ConfigValue,
  path = '',
): readonly ConfigFinding[] {
  if (node.is !== 'map') return []
  return Object.entries(struct.fields).flatMap(([name, field]) => {
    const entry = entryOf(node, name)
    const here = path === '' ? name : `${path}.${name}`
    if (entry !== undefined) return missingInside(field, entry.value, here)
    return field.required === true
      ? [{ location: node.at, message: `${here}: Required value` }]
      : []
  })
}

/** Looks into structs, and into lists of structs; the values of maps have no required fields. */
function missingInside(
  field: ConfigField,
  node: ConfigValue,
  path: string,
): readonly ConfigFinding[] {
  const of = field.struct?.()
  if (of === undefined) return []
  if (field.shape === 'struct') return missingFields(of, node, path)
  if (node.is !== 'list') return []
  return node.items.flatMap((item, index) => missingFields(of, item, `${path}[${index}]`))
}
