/** A configuration file to start from. */
import type { ConfigField, ConfigKind, ConfigStruct } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { settingAt } from '../validation/struct-constraints.ts'

/**
 * The text of a whole file: every field with its default and, above it, what it is for. What has no default and need not
 * be said stands as a comment.
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

function structLines(struct: ConfigStruct, value: unknown, indent: string): readonly string[] {
  return Object.entries(struct.fields).flatMap(([name, field]) => {
    const about = `${indent}# ${field.description.replaceAll('`', '')}`
    return [about, ...fieldLines(name, field, settingAt(value, name), indent)]
  })
}

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
