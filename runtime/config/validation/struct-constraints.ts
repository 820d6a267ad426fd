import type { ConfigKind, ConfigStruct } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import type { FeatureGates } from '../gates/feature-gates.ts'
import type { ConfigFinding } from '../value/finding.ts'
import { type ConfigValue, followPath, toPlainValue } from '../value/located-value.ts'
import { constraintFindings } from './constraints.ts'
import type { SettingSubject } from './setting-subject.ts'

/** What is wrong by the constraints of a configuration's structs, those in lists and in other structs included. */
export function structConstraintFindings(
  kind: ConfigKind,
  root: ConfigValue,
  gates: FeatureGates,
): readonly ConfigFinding[] {
  const visit = (struct: ConfigStruct, value: unknown, path: string): ConfigFinding[] => {
    if (typeof value !== 'object' || value === null) return []
    const subject = (field: string) => fieldSubject(root, value, path, field)
    const own = (struct.constraints ?? []).flatMap((each) =>
      constraintFindings(each, subject, gates),
    )
    return [...own, ...innerStructs(struct, value, path).flatMap((inner) => visit(...inner))]
  }
  return visit(kind.type, kind.read(toPlainValue(root), createReport()), '')
}

/** A field of the struct at `path`. Its value comes with defaults; its location, from what was set. */
function fieldSubject(
  root: ConfigValue,
  struct: object,
  path: string,
  field: string,
): SettingSubject {
  const name = joinPath(path, field)
  const value = valueAtPath(struct, field)
  const { node, complete } = followPath(root, name)
  if (!complete || node.at.origin === 'default') return { name, value }
  const partLocation = (step: string) => followPath(node, step).node.at
  return { name, value, location: node.at, partLocation }
}

/** A struct with its value and its path. */
type StructAt = readonly [struct: ConfigStruct, value: unknown, path: string]

/** The structs in the fields of a struct, and in their lists. Values of maps have no constraints. */
function innerStructs(struct: ConfigStruct, value: object, path: string): readonly StructAt[] {
  return Object.entries(struct.fields).flatMap(([name, field]): readonly StructAt[] => {
    const inner = field.struct?.()
    const child = valueAtPath(value, name)
    if (inner === undefined || child === undefined) return []
    const here = joinPath(path, name)
    if (Array.isArray(child)) return child.map((item, at) => [inner, item, `${here}[${at}]`])
    return field.shape === 'struct' ? [[inner, child, here]] : []
  })
}

/** `a` and `b` give `a.b`; the empty path is the root. */
function joinPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`
}
