/** The rules in the expression language that a configuration's schema states, evaluated by the engine of the server. */
import type { SchemaRules } from '../cel/cel.ts'
import type { ConfigKind } from '../kernel/config.ts'
import { createReport } from '../kernel/read.ts'
import { type RuleTable, ruleKeywords } from '../kernel/rules.ts'
import type { ConfigFinding } from './finding.ts'
import { follow, type Place, type Placed, plainOf } from './place.ts'

/**
 * What the rules of a configuration find: at the field in question if somebody set it, else at the first one set of those
 * that the rule looks at, else at what holds them. `malformed`: something else is wrong with it, so that a rule which comes
 * to no verdict says nothing. The engine is loaded for kinds with rules only.
 */
export async function ruleFindings(
  kind: ConfigKind,
  root: Placed,
  malformed: boolean,
): Promise<readonly ConfigFinding[]> {
  if (kind.validations === undefined) return []
  const rules = await rulesOf(kind.validations)
  return rules
    .breaches(kind.read(plainOf(root), createReport()))
    .filter(({ failed }) => !(failed && malformed))
    .map(({ path, at, reads, message }) => ({
      place: placeOf(root, path === at ? reads : [path, ...reads], path),
      message: path === '' ? message : `${path}: ${message}`,
    }))
}

function placeOf(root: Placed, candidates: readonly string[], path: string): Place {
  const set = candidates
    .map((each) => follow(root, each))
    .find(({ whole, node }) => whole && node.at.origin !== 'default')
  return (set ?? follow(root, path)).node.at
}

const compiled = new WeakMap<RuleTable, SchemaRules>()

async function rulesOf(table: RuleTable): Promise<SchemaRules> {
  const known = compiled.get(table)
  if (known !== undefined) return known
  const { compileRules, schemaOf } = await import('../cel/cel.ts')
  const options = { extension: ruleKeywords, optionalOldSelf: true, plain: true, priced: true }
  const rules = compileRules(schemaOf(table), '', options)
  compiled.set(table, rules)
  return rules
}
