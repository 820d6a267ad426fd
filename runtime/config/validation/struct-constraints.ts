import type { ConfigKind, ConfigStruct } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { FeatureGates } from '../feature-gates.ts'
import type { ConfigFinding } from '../finding.ts'
import { type ConfigValue, followPath, toPlainValue } from '../located-value.ts'
import { constraintFindings, type SettingSubject } from './constraints.ts'

/** What constraints of the configuration's structs find, in every struct that there is. */
export function structConstraintFindings(
  kind: ConfigKind,
  root: ConfigValue,
  gates: FeatureGates,
): readonly ConfigFinding[] {
  const visit = (struct: ConfigStruct, part: unknown, path: string): ConfigFinding[] => {
    if (typeof part !== 'object' || part === null) return []
    const subject = (field: string): SettingSubject => {
      const name = path === '' ? field : `${path}.${field}`
      const { node, complete: whole } = followPath(root, name)
      const said = whole && node.at.origin !== 'default'
      const partPlace = (step: string) => followPath(node, step).node.at
      return { name, value: settingAt(part, field), ...(said ? { place: node.at, partPlace } : {}) }
    }
    const own = (struct.constraints ?? []).flatMap((each) =>
      constraintFindings(each, subject, gates),
    )
    const inner = Object.entries(struct.fields).flatMap(([name, field]) => {
      const of = field.struct?.()
      const here = path === '' ? name : `${path}.${name}`
      const child = settingAt(part, name)
      if (of === undefined || child === undefined) return []
      if (!Array.isArray(child)) return field.shape === 'struct' ? visit(of, child, here) : []
      return child.flatMap((item, index) => visit(of, item, `${here}[${index}]`))
    })
    return [...own, ...inner]
  }
  return visit(kind.type, kind.read(toPlainValue(root), createReport()), '')
}

/** The value at a path of names. */
export function settingAt(value: unknown, path: string): unknown {
  let part = value
  for (const step of path.split('.')) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined
    part = (part as Readonly<Record<string, unknown>>)[step]
  }
  return part
}
