/**
 * Validation rules of a schema: compiled when the schema is written, evaluated when an object is. The promises:
 *
 *  1. Everything that is wrong with the rules of a schema is found at once, each finding with its path in the schema;
 *     a rule whose worst case costs too much is refused with the factor by which it does.
 *  2. Evaluating the rules of one object ends within the object's budget. When the budget is spent there is one finding
 *     that says so, and nothing is evaluated after it.
 *  3. A rule that reads `oldSelf` runs only where the old object has a value that the new one corresponds to.
 */

import { runToCompletion, type Steps } from '../../kernel/async/slices.ts'
import type { CauseReason, FieldError } from '../../kernel/validation/field-error.ts'
import type { Budget } from '../program/program.ts'
import type { SchemaNode } from '../schema/schema-node.ts'
import { costLimits, overBudget } from './cost-limits.ts'
import { RuleCompiler } from './rule-compiler.ts'
import type { ExpressionCost, RuleOptions, RuleProblem } from './rule-node.ts'
import { RuleRun, type RuleViolation } from './rule-run.ts'

/** The compiled rules of a schema. */
export interface SchemaRules {
  /** The errors of the rules, with paths below the given one. Rules that do not compile are not run. */
  readonly findings: readonly FieldError[]
  /** The same for each rule, in the terms of its author. */
  readonly problems: readonly RuleProblem[]
  /** The sum of all estimates, in units. */
  readonly cost: number
  /**
   * The errors of the total cost of the rules and messages whose path counts. `findings` has those of all.
   */
  totalFindings(counts: (path: string) => boolean): readonly FieldError[]
  /** True if there is no rule to run. */
  readonly isEmpty: boolean
  /**
   * The field errors of an object that has passed the validation of its schema. `old` is the object that it replaces,
   * undefined on create. `budget` decreases by what was spent.
   */
  validate(object: unknown, old?: unknown, budget?: Budget): readonly FieldError[]
  /** The same as violations, for callers that have messages of their own. */
  violations(object: unknown, old?: unknown, budget?: Budget): readonly RuleViolation[]
  /** The same as `validate`, yielding between evaluations so that other work can run. */
  validateInSteps(object: unknown, old?: unknown, budget?: Budget): Steps<readonly FieldError[]>
}

/** Compiles the rules of a schema. `path` is where the schema is, for errors. Never throws for what rules contain. */
export function compileRules(schema: SchemaNode, path: string, options: RuleOptions): SchemaRules {
  return runToCompletion(compileRulesInSteps(schema, path, options))
}

/** The same as `compileRules`, yielding between rules so that other work can run. */
export function* compileRulesInSteps(
  schema: SchemaNode,
  path: string,
  options: RuleOptions,
): Steps<SchemaRules> {
  const compiler = new RuleCompiler(options)
  const root = yield* compiler.compile(schema, {
    path,
    root: options.notResource !== true,
    times: 1,
    uncorrelatable: undefined,
  })
  const cost = compiler.costs.reduce((sum, one) => sum + one.cost, 0)
  const name = `x-${options.extension}-validations`
  const total = totalFindings(compiler.costs, path, name)
  function* run(object: unknown, old: unknown, budget: Budget): Steps<readonly RuleViolation[]> {
    if (root === undefined) return []
    const one = new RuleRun(budget, options)
    yield* one.visit(root, object, old, '')
    return one.violations
  }
  const whole = (): Budget => ({ remaining: costLimits.object })
  const violations: SchemaRules['violations'] = (object, old, budget = whole()) =>
    runToCompletion(run(object, old, budget))
  return {
    findings: [...compiler.findings, ...total],
    problems: compiler.problems,
    cost,
    totalFindings: (counts) =>
      totalFindings(
        compiler.costs.filter((one) => counts(one.path)),
        path,
        name,
      ),
    isEmpty: root === undefined,
    validate: (object, old, budget) => violations(object, old, budget).map(findingOf),
    violations,
    *validateInSteps(object, old, budget = whole()) {
      return (yield* run(object, old, budget)).map(findingOf)
    },
  }
}

/** The most expressions that the error of a schema's total cost lists. */
const shownExpensive = 4
/** Expressions below this share of the limit are not listed. */
const shareOfExpensive = 0.01

/** The errors of a schema whose expressions together cost too much: the most expensive ones, and the total. */
function totalFindings(
  costs: readonly ExpressionCost[],
  path: string,
  name: string,
): readonly FieldError[] {
  const cost = costs.reduce((sum, one) => sum + one.cost, 0)
  const subject = `${name} estimated rule cost total for entire OpenAPIv3 schema`
  const text = overBudget(subject, cost, costLimits.schema)
  if (text === undefined) return []
  const expensive = [...costs]
    .sort((a, b) => b.cost - a.cost)
    .slice(0, shownExpensive)
    .filter((one) => one.cost >= costLimits.schema * shareOfExpensive)
  const contributed =
    'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  return [
    ...expensive.map((one) => forbidden(one.path, contributed)),
    forbidden(path, `Forbidden: ${text}`),
  ]
}

function forbidden(path: string, message: string): FieldError {
  return { path, reason: 'FieldValueForbidden', message }
}

/** The field error of a violation. It shows the value's type in place of the value. */
function findingOf({ path, reason, type, message }: RuleViolation): FieldError {
  return { path, ...causeOf(reason, type, message) }
}

function causeOf(
  reason: string | undefined,
  type: string,
  text: string,
): { readonly reason: CauseReason; readonly message: string } {
  const said = text === '' ? '' : `: ${text}`
  switch (reason) {
    case 'FieldValueForbidden':
      return { reason, message: `Forbidden${said}` }
    case 'FieldValueRequired':
      return { reason, message: `Required value${said}` }
    case 'FieldValueDuplicate':
      return { reason, message: `Duplicate value: ${JSON.stringify(type)}` }
    default:
      return {
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(type)}${said}`,
      }
  }
}
