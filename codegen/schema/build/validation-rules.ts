/** Rules in the expression language (`x-orch-validations`). Whether they compile is checked by lint. */
import type { ValidationRule } from '../../../runtime/kernel/descriptors/validation-rules.ts'
import { ruleShape } from '../keys/file-keys.ts'
import type { Expression } from '../named-type.ts'
import { items, plain } from '../yaml/node.ts'
import { readConditions } from './declared-conditions.ts'
import type { Definitions } from './definitions.ts'
import type { Schema } from './json-schema.ts'
import { inOrder } from './mapping-shape.ts'

/** The keyword that carries rules, without its prefix. */
export const validations = 'validations'

/** The rules of a schema itself. */
export function expressionsOf(schema: Schema): readonly Expression[] {
  return [...statedRules(schema), ...reasonRules(schema)]
}

/** Each type of a condition has only its own reasons. */
function reasonRules(schema: Schema): readonly Expression[] {
  const at = schema.markers.get('condition-reasons')?.node
  if (at?.is !== 'map') return []
  const { conditions } = readConditions(plain(at))
  return Object.entries(conditions).map(([type, declared]) => {
    const reasons = Object.keys(declared.reasons)
    const list = `[${reasons.map((reason) => `'${reason}'`).join(', ')}]`
    const rule = `self.type != '${type}' || !has(self.reason) || self.reason in ${list}`
    const message = `a reason of ${type} is one of ${reasons.join(', ')}`
    return { ...inOrder({ rule, message, fieldPath: '.reason' } as ValidationRule, ruleShape), at }
  })
}

function statedRules(schema: Schema): readonly Expression[] {
  return items(schema.markers.get(validations)?.node).flatMap((at) => {
    if (at.is !== 'map') return []
    return [{ ...inOrder(plain(at) as ValidationRule, ruleShape), at }]
  })
}

/**
 * The rules of a struct: its own, and those of the structs that are inlined into it.
 * Inlined rules come first. A struct that is inlined into itself ends the walk: that is reported
 * where its fields are built.
 */
export function structRules(
  schema: Schema,
  file: string,
  definitions: Definitions,
  inside: ReadonlySet<Schema> = new Set(),
): readonly Expression[] {
  if (inside.has(schema)) return []
  const inlined = schema.inline.flatMap((part) => {
    const target = part.ref && definitions.find(part.ref.value, file)
    const rules = target
      ? structRules(target.schema, target.file, definitions, new Set([...inside, schema]))
      : []
    return [...rules, ...expressionsOf(part)]
  })
  return [...inlined, ...expressionsOf(schema)]
}
