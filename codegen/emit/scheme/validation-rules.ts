/** Emits the schemas that rules stand in, one module for the whole tree: machine text, made lazily, read by `runtime/cel`. */

import { isConfig } from '../../schema/files/layout.ts'
import type { NamedType, StructType } from '../../schema/named-type.ts'
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { type Imports, importsOf } from '../code/imports.ts'
import { code, literal } from '../code/literal.ts'
import type { Model } from '../model/model.ts'

const path = 'rules.ts'
const tableName = 'ruleSchemas'

/**
 * The module of all rules; none for a tree without rules.
 * Each entry is a function, since a process compiles the rules of few types. What no rule reads
 * is left out of the schemas.
 */
export function rulesOf(model: Model, specifiers: Specifiers): readonly ModuleArtefact[] {
  const roots = model.types.filter((type) => isRoot(type, model)).map(({ id }) => id)
  const rows = model.rules.rows(roots)
  if (rows.size === 0) return []
  const table = [...rows].map(([name, row]) => [name, code(`() => (${literal(row, 2)})`)] as const)
  const imports = importsOf(path, specifiers)
  const type = imports.kernel('descriptors/validation-rules', 'RuleSchemas', true)
  const doc = 'What rules need to know of the types that they look at.'
  return [
    {
      is: 'module',
      path,
      from: [],
      statements: [constant(tableName, type, Object.fromEntries(table), doc)],
      imports: imports.structures(),
    },
  ]
}

/** True for a whole object or configuration file: rules are evaluated from its root. */
function isRoot(type: NamedType, model: Model): boolean {
  if (type.is !== 'struct') return false
  return model.kindOf(type) !== undefined || (type.root && isConfig(type.at.file))
}

/** What a descriptor says of its rules; undefined if it has none. */
export function ruleTableOf({ id }: StructType, model: Model, imports: Imports) {
  const root = model.ruleName(id)
  return root === undefined ? undefined : { root, schemas: code(imports.tree(path, tableName)) }
}
