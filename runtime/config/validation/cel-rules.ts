/** The rules in the expression language that a configuration's schema states, evaluated by the engine of the server. */
import type { SchemaRules } from '../../cel/cel.ts'
import { type RuleTable, ruleKeywordPrefix } from '../../kernel/descriptors/validation-rules.ts'
import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { ConfigFinding } from '../finding.ts'
import { type ConfigValue, followPath, toPlainValue, type ValueLocation } from '../located-value.ts'

/**
 * What the rules of a configuration find: at the field in question if somebody set it, else at the first one set of those
 * that the rule looks at, else at what holds them. `malformed`: something else is wrong with it, so that a rule which comes
 * to no verdict says nothing. The engine is loaded for kinds with rules only.
 */
export async function celRuleFindings(
  kind: ConfigKind,
  root: ConfigValue,
  malformed: boolean,
): Promise<readonly ConfigFinding[]> {
  if (kind.validations === undefined) return []
  const rules = await rulesOf(kind.validations)
  return rules
    .violations(kind.read(toPlainValue(root), createReport()))
    .filter(({ failed }) => !(failed && malformed))
    .map(({ path, at, reads, message }) => ({
      place: placeOf(root, path === at ? reads : [path, ...reads], path),
      message: path === '' ? message : `${path}: ${message}`,
    }))
}

function placeOf(root: ConfigValue, candidates: readonly string[], path: string): ValueLocation {
  const set = candidates
    .map((each) => followPath(root, each))
    .find(({ complete: whole, node }) => whole && node.at.origin !== 'default')
  return (set ?? followPath(root, path)).node.at
}

const compiled = new WeakMap<RuleTable, SchemaRules>()

async function rulesOf(table: RuleTable): Promise<SchemaRules> {
  const known = compiled.get(table)
  if (known !== undefined) return known
  const { compileRules, schemaOf } = await import('../../cel/cel.ts')
  const options = {
    extension: ruleKeywordPrefix,
    optionalOldSelf: true,
    notResource: true,
    costChecked: true,
  } as const
  const rules = compileRules(schemaOf(table), '', options)
  compiled.set(table, rules)
  return rules
}
