import type { ConfigKind, ConfigStruct } from '../kernel/config.ts'
import { createReport } from '../kernel/read.ts'
import { checkConstraint, type Subject } from './constraints.ts'
import type { FeatureGates } from './features.ts'
import type { ConfigFinding } from './finding.ts'
import { follow, type Placed, plainOf } from './place.ts'

/** What constraints of the configuration's structs find, in every struct that there is. */
export function structFindings(
  kind: ConfigKind,
  root: Placed,
  gates: FeatureGates,
): readonly ConfigFinding[] {
  const visit = (struct: ConfigStruct, part: unknown, path: string): ConfigFinding[] => {
    if (typeof part !== 'object' || part === null) return []
    const subject = (field: string): Subject => {
      const name = path === '' ? field : `${path}.${field}`
      const { node, whole } = follow(root, name)
      const said = whole && node.at.origin !== 'default'
      const partPlace = (step: string) => follow(node, step).node.at
      return { name, value: valueAt(part, field), ...(said ? { place: node.at, partPlace } : {}) }
    }
    const own = (struct.constraints ?? []).flatMap((each) => checkConstraint(each, subject, gates))
    const inner = Object.entries(struct.fields).flatMap(([name, field]) => {
      const of = field.of?.()
      const here = path === '' ? name : `${path}.${name}`
      const child = valueAt(part, name)
      if (of === undefined || child === undefined) return []
      if (!Array.isArray(child)) return field.is === 'struct' ? visit(of, child, here) : []
      return child.flatMap((item, index) => visit(of, item, `${here}[${index}]`))
    })
    return [...own, ...inner]
  }
  return visit(kind.type, kind.read(plainOf(root), createReport()), '')
}

/** The value at a path of names. */
export function valueAt(value: unknown, path: string): unknown {
  let part = value
  for (const step of path.split('.')) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined
    part = (part as Readonly<Record<string, unknown>>)[step]
  }
  return part
}
