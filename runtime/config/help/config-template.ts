/** A configuration file to start from: `orch config init`. */
import type { ConfigField, ConfigKind, ConfigStruct } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'

/**
 * A whole configuration file as YAML: every field with its description above it and its default. A field without a default
 * is a comment.
 */
export function configTemplate(kind: ConfigKind): string {
  const defaults = kind.read({}, createReport())
  const head = [
    `# ${kind.type.description}`,
    `apiVersion: ${kind.apiVersion}`,
    `kind: ${kind.kind}`,
    '',
  ]
  return `${[...head, ...structLines(kind.type, defaults, '')].join('\n').trimEnd()}\n`
}

/** The lines of a struct's fields, each with its description above. */
function structLines(struct: ConfigStruct, value: unknown, indent: string): readonly string[] {
  return Object.entries(struct.fields).flatMap(([name, field]) => {
    const about = `${indent}# ${field.description.replaceAll('`', '')}`
    return [about, ...fieldLines(name, field, valueAtPath(value, name), indent)]
  })
}

/** A struct is a block; any other value is JSON, which YAML contains. */
function fieldLines(
  name: string,
  field: ConfigField,
  value: unknown,
  indent: string,
): readonly string[] {
  const of = field.struct?.()
  if (field.shape === 'struct' && of !== undefined && value !== undefined) {
    const inner = structLines(of, value, `${indent}  `)
    return inner.length === 0 ? [`${indent}${name}: {}`] : [`${indent}${name}:`, ...inner]
  }
  if (value !== undefined) return [`${indent}${name}: ${JSON.stringify(value)}`]
  return [`${indent}# ${name}: (${field.type})`]
}
