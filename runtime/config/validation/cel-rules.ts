/** Validation rules (CEL) of a configuration's schema, evaluated by the same engine as those of API objects. */
import type { SchemaRules } from '../../cel/cel.ts'
import { type RuleTable, ruleKeywordPrefix } from '../../kernel/descriptors/validation-rules.ts'
import type { ConfigKind } from '../../kernel/options/config-kind.ts'
import { createReport } from '../../kernel/validation/field-error.ts'
import type { ConfigFinding } from '../value/finding.ts'
import {
  type ConfigValue,
  followPath,
  toPlainValue,
  type ValueLocation,
} from '../value/located-value.ts'

/**
 * What the rules of a configuration find. The location is that of the field in question if it was set, else of the first
 * field that was set among those the rule reads, else of the struct around them. With `malformed`, rules whose evaluation
 * fails are left out: another finding explains why. The engine is imported only for kinds with rules.
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
      location: locationOf(root, path === at ? reads : [path, ...reads], path),
      message: path === '' ? message : `${path}: ${message}`,
    }))
}

/** The first of the candidates that was set; defaults have no location. */
function locationOf(root: ConfigValue, candidates: readonly string[], path: string): ValueLocation {
  const set = candidates
    .map((each) => followPath(root, each))
    .find(({ complete, node }) => complete && node.at.origin !== 'default')
  return (set ?? followPath(root, path)).node.at
}

/** Rules by their table: a process checks many values of one kind. */
const compiled = new WeakMap<RuleTable, SchemaRules>()

/** Compiles the rules of a table, once. What they cost is estimated, so that no file can make them run for long. */
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
