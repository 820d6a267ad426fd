/**
 * Rules that a schema file states in the expression language, as one rule of the kind. They are compiled when an object of
 * the kind is first written; that they do compile was found out when the tree was generated.
 */
import { type Breach, compileRules, type SchemaRules, schemaOf } from '../cel/cel.ts'
import { invariant } from '../kernel/invariant.ts'
import type { Finding } from '../kernel/read.ts'
import { type RuleTable, ruleKeywords } from '../kernel/rules.ts'
import { duplicate, forbidden, invalid, required } from './findings.ts'
import type { Rule } from './kinds.ts'

/** The rule of a kind whose schema states rules. What is malformed is judged as far as it goes. */
export function expressions(table: RuleTable): Rule {
  let compiled: SchemaRules | undefined
  return {
    validate(object, old, { malformed }) {
      compiled ??= compileTable(table)
      const breaches = compiled.breaches(object, old)
      const told = malformed ? breaches.filter(({ failed }) => !failed) : breaches
      return told.map(findingOf)
    },
  }
}

function compileTable(table: RuleTable): SchemaRules {
  const options = { extension: ruleKeywords, optionalOldSelf: true, priced: true }
  const rules = compileRules(schemaOf(table), '', options)
  const [problem] = rules.problems
  invariant(problem === undefined, `${table.root}: ${problem?.rule.rule}: ${problem?.message}`)
  return rules
}

/** The finding in the words of named rules, which show the value that is wrong. */
function findingOf({ path, reason, message, value }: Breach): Finding {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, message)
    case 'FieldValueRequired':
      return required(path, message)
    case 'FieldValueDuplicate':
      return duplicate(path, value)
    default:
      return invalid(path, value, message)
  }
}
