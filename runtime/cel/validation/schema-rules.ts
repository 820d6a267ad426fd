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
import { joinPath } from '../../kernel/validation/report.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import type { Bindings } from '../plan/frame.ts'
import type { Budget, Program } from '../program/program.ts'
import type { SchemaNode, ValidationRule } from '../schema/json-schema.ts'
import { Optional, type Value } from '../values/values.ts'
import { costLimits, overBudget, stepsOfCost } from './cost-limits.ts'
import { valueAtField } from './field-path.ts'
import {
  type CompiledRule,
  type ExpressionCost,
  RuleCompiler,
  type RuleNode,
  type RuleOptions,
  type RuleProblem,
} from './rule-compiler.ts'

export type { RuleOptions } from './rule-compiler.ts'

/** A rule that an object breaks, or that could not be evaluated. */
export interface RuleViolation {
  /** The field that it is about, and the part of an object that the rule stands beside. */
  readonly path: string
  readonly at: string
  /** The fields that the rule looks at, from the root. */
  readonly reads: readonly string[]
  readonly reason: string | undefined
  readonly message: string
  /** The schema type of what the rule stands beside. */
  readonly type: string
  /** What stands at `path`. */
  readonly value: unknown
  /** The rule came to no verdict. */
  readonly failed: boolean
}

/** The rules of a schema, ready to run. */
export interface SchemaRules {
  /** What is wrong with the rules, with paths below the given one. Rules that do not compile are not run. */
  readonly findings: readonly FieldError[]
  /** The same for each rule, with the rule itself. */
  readonly problems: readonly RuleProblem[]
  /** The sum of all estimates. */
  readonly cost: number
  /** True if there is no rule to run. */
  readonly isEmpty: boolean
  /**
   * What the rules say of an object, `old` being what it replaces (undefined when it is created). The object has passed
   * the validation of its schema. `budget` goes down by what was spent.
   */
  validate(object: unknown, old?: unknown, budget?: Budget): readonly FieldError[]
  /** The same, for who says it in words of its own. */
  violations(object: unknown, old?: unknown, budget?: Budget): readonly RuleViolation[]
  /** What `validate` gives, for whoever has others waiting: it stops between evaluations. */
  validateInSteps(object: unknown, old?: unknown, budget?: Budget): Steps<readonly FieldError[]>
}

/** Compiles the rules of a schema whose root is the root of a resource. `path` is where the schema stands. */
export function compileRules(schema: SchemaNode, path: string, options: RuleOptions): SchemaRules {
  return runToCompletion(compileRulesInSteps(schema, path, options))
}

/** The same, for whoever has others waiting: it stops between rules. */
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
  const total = totalFindings(compiler.costs, cost, path, name)
  function* run(object: unknown, old: unknown, budget: Budget): Steps<readonly RuleViolation[]> {
    if (root === undefined) return []
    const one = new RuleRun(budget, options)
    yield* one.visit(root, object, old, '')
    return one.breaches
  }
  const whole = (): Budget => ({ remaining: costLimits.object })
  const breaches: SchemaRules['violations'] = (object, old, budget = whole()) =>
    runToCompletion(run(object, old, budget))
  return {
    findings: [...compiler.findings, ...total],
    problems: compiler.problems,
    cost,
    isEmpty: root === undefined,
    validate: (object, old, budget) => breaches(object, old, budget).map(findingOf),
    violations: breaches,
    *validateInSteps(object, old, budget = whole()) {
      return (yield* run(object, old, budget)).map(findingOf)
    },
  }
}

const shownExpensive = 4
const shareOfExpensive = 0.01

function totalFindings(
  costs: readonly ExpressionCost[],
  cost: number,
  path: string,
  name: string,
): readonly FieldError[] {
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

/** One object being validated. */
class RuleRun {
  readonly breaches: RuleViolation[] = []
  readonly #budget: Budget
  readonly #optionalOldSelf: boolean
  readonly #ratchets: boolean
  #stopped = false

  constructor(budget: Budget, options: RuleOptions) {
    this.#budget = budget
    this.#optionalOldSelf = options.optionalOldSelf === true
    this.#ratchets = options.ratcheting === true
  }

  *visit(node: RuleNode, value: unknown, old: unknown, path: string): Steps<void> {
    if (this.#stopped || value === null || value === undefined) return
    const former = old === null ? undefined : old
    const unchanged = this.#forgives(node) && former !== undefined && deepEqual(value, former)
    for (const rule of node.rules) {
      if (unchanged && !rule.transition) continue
      const before = this.#budget.remaining
      this.#apply(rule, node, value, former, path)
      if (this.#stopped) return
      yield workOfRule + stepsOfCost(before - this.#budget.remaining)
    }
    if (Array.isArray(value)) yield* this.#items(node, value, former, path)
    else if (isObject(value)) yield* this.#members(node, value, former, path)
  }

  /** Whether there are rules that need not hold for what is as it was. */
  #forgives({ rules }: RuleNode): boolean {
    return this.#ratchets && rules.some(({ transition }) => !transition)
  }

  *#members(node: RuleNode, value: JsonObject, old: unknown, path: string): Steps<void> {
    const { properties, additional } = node
    if (properties.size === 0 && additional === undefined) return
    const former = node.correlatable && isObject(old) ? old : undefined
    for (const key of Object.keys(value)) {
      const child = properties.get(key)
      const oldChild = former && Object.hasOwn(former, key) ? former[key] : undefined
      if (child !== undefined) yield* this.visit(child, value[key], oldChild, joinPath(path, key))
      else if (additional !== undefined) {
        yield* this.visit(additional, value[key], oldChild, joinPath(path, `[${key}]`))
      }
    }
  }

  *#items(node: RuleNode, value: readonly unknown[], old: unknown, path: string): Steps<void> {
    const { items } = node
    if (items === undefined) return
    const byKey = node.correlatable && Array.isArray(old) ? keyed(old, node.listMapKeys) : undefined
    for (const [index, item] of value.entries()) {
      const former = byKey?.get(keyText(item, node.listMapKeys))
      yield* this.visit(items, item, former, joinPath(path, `[${index}]`))
    }
  }

  #apply(compiled: CompiledRule, node: RuleNode, value: unknown, old: unknown, path: string): void {
    const { rule, transition } = compiled
    const optional = rule.optionalOldSelf === true
    if (transition && old === undefined && !(optional && this.#optionalOldSelf)) return
    if (this.#budget.remaining <= 0) {
      this.#stop(path, node, value)
      return
    }
    const former = optional ? optionalOf(node, old) : old
    this.#judge(compiled, node, path, { self: value, oldSelf: former })
  }

  #judge(compiled: CompiledRule, node: RuleNode, path: string, bindings: Bindings): void {
    const { rule, program } = compiled
    const value = bindings.self
    const outcome = program.evaluate(bindings, this.#budget, costLimits.call)
    if (outcome.is === 'stopped') {
      const why = outcome.by === 'budget' ? outOfBudget : overLimit(rule)
      this.#report({ path, at: path, message: why, failed: true }, node, value)
      this.#stopped = true
    } else if (outcome.is === 'error') {
      const message = errorText(outcome.error.message, rule)
      this.#report({ path, at: path, message, failed: true }, node, value)
    } else if (outcome.value !== true) {
      const { message, stop } = this.#messageOf(compiled, bindings)
      const reads = program.reads('self').map((field) => joinPath(path, field))
      const place = { path: joinPath(path, compiled.fieldPath), at: path, reads }
      const reason = stop ? undefined : rule.reason
      const shown = valueAtField(value, compiled.fieldPath)
      this.#report({ ...place, message, reason, failed: stop === true }, node, shown)
      this.#stopped = stop === true
    }
  }

  #stop(path: string, node: RuleNode, value: unknown): void {
    this.#report({ path, at: path, message: outOfBudget, failed: true }, node, value)
    this.#stopped = true
  }

  #report(
    said: Omit<RuleViolation, 'type' | 'value' | 'reason' | 'reads'> &
      Partial<Pick<RuleViolation, 'reason' | 'reads'>>,
    { type }: RuleNode,
    value: unknown,
  ): void {
    this.breaches.push({ reason: undefined, reads: [], ...said, type, value })
  }

  #messageOf(compiled: CompiledRule, bindings: Bindings): { message: string; stop?: boolean } {
    const { message, rule } = compiled
    const text = message && this.#evaluated(message, bindings)
    if (text?.stop) return { message: text.message ?? outOfBudget, stop: true }
    const plain = rule.message ? rule.message.trim() : `failed rule: ${nameOf(rule)}`
    return { message: text?.message ?? plain }
  }

  /** The text of a message expression; nothing if it fails or gives a text that cannot be shown. */
  #evaluated(program: Program, bindings: Bindings): { message?: string; stop?: boolean } {
    const outcome = program.evaluate(bindings, this.#budget, costLimits.call)
    if (outcome.is === 'stopped') {
      const why =
        outcome.by === 'budget'
          ? 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
          : `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(program.source)}`
      return { message: why, stop: true }
    }
    if (outcome.is === 'error' || typeof outcome.value !== 'string') return {}
    const text = outcome.value.trim()
    const shown = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= longestMessage
    return shown ? { message: text } : {}
  }
}

/** What a rule takes beyond its cost. */
const workOfRule = 2

const longestMessage = 5 * 1024
const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

function overLimit(rule: ValidationRule): string {
  const why = "'operation cancelled: actual cost limit exceeded'"
  return `${why}: no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule)}`
}

function errorText(message: string, rule: ValidationRule): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${nameOf(rule)}`
  const why = 'call arguments did not match a supported operator, function or macro signature'
  return `'${message}': ${why} for rule: ${nameOf(rule)}`
}

function nameOf(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : rule.rule.trim()
}

function optionalOf(node: RuleNode, old: unknown): Value {
  return old === undefined ? Optional.none : new Optional(node.read(old) as Value)
}

/** The finding of a rule: the bad value is shown as the word for its type. */
function findingOf({ path, reason, type, message }: RuleViolation): FieldError {
  return { path, ...causeOf(reason, type, message) }
}

function causeOf(
  reason: string | undefined,
  type: string,
  text: string,
): { readonly reason: CauseReason; readonly message: string } {
  switch (reason) {
    case 'FieldValueForbidden':
      return { reason, message: `Forbidden: ${text}` }
    case 'FieldValueRequired':
      return { reason, message: `Required value: ${text}` }
    case 'FieldValueDuplicate':
      return { reason, message: `Duplicate value: ${JSON.stringify(type)}` }
    default:
      return {
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(type)}: ${text}`,
      }
  }
}

function keyed(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(list.map((item) => [keyText(item, keys), item]))
}

function keyText(item: unknown, keys: readonly string[]): string {
  if (!isObject(item)) return ''
  return keys
    .map((key) => {
      const value = Object.hasOwn(item, key) ? item[key] : undefined
      return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '')
    })
    .join()
}
