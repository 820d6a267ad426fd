/**
 * Rules that a schema file states in CEL, as one strategy of the kind. They are compiled when an object of
 * the kind is first written; that they do compile was found out when the tree was generated.
 */
import { compileRules, type RuleViolation, type SchemaRules, schemaOf } from '../../cel/cel.ts'
import { type RuleTable, ruleKeywordPrefix } from '../../kernel/descriptors/validation-rules.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { duplicate, forbidden, invalid, required } from '../../kernel/validation/field-errors.ts'
import type { Strategy } from './strategy.ts'

/** The strategy of a kind whose schema states rules. Rules that a malformed object makes fail are passed over. */
export function expressions(table: RuleTable): Strategy {
  let compiled: SchemaRules | undefined
  return {
    validate(object, old, { malformed, subresource }) {
      compiled ??= compileTable(table)
      const found = compiled.violations(object, old)
      const breaches =
        subresource === 'status' ? found.filter(({ path }) => path.startsWith('status')) : found
      const told = malformed ? breaches.filter(({ failed }) => !failed) : breaches
      return told.map(fieldErrorOf)
    },
  }
}

/**
 * A rule that does not compile is a mistake of the tree, not of a client: it throws, instead of
 * giving a field error.
 */
function compileTable(table: RuleTable): SchemaRules {
  const rules = compileRules(schemaOf(table), '', {
    extension: ruleKeywordPrefix,
    optionalOldSelf: true,
    costChecked: true,
  })
  const [problem] = rules.problems
  invariant(problem === undefined, `${table.root}: ${problem?.rule.rule}: ${problem?.message}`)
  return rules
}

/** The error of a rule that does not hold, with the value as other checks show it. */
function fieldErrorOf({ path, reason, message, value }: RuleViolation): FieldError {
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
