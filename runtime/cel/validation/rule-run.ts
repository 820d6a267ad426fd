/** Evaluates compiled rules for one object and what it replaces. */

import type { Steps } from '../../kernel/async/slices.ts'
import type { ValidationRule } from '../../kernel/descriptors/validation-rules.ts'
import { joinPath } from '../../kernel/validation/report.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import type { Bindings } from '../plan/frame.ts'
import type { Budget, Program } from '../program/program.ts'
import { Optional, type Value } from '../values/values.ts'
import { costLimits, stepsOfCost } from './cost-limits.ts'
import { valueAtField } from './field-path.ts'
import type { CompiledRule, RuleNode, RuleOptions } from './rule-node.ts'
/** A rule that an object violates, or that could not be evaluated. */
export interface RuleViolation {
  /** The path of the field that the error is reported at. */
  readonly path: string
  /** The path of the value that the rule is attached to. */
  readonly at: string
  /** The paths of the fields that the rule reads, from the root. */
  readonly reads: readonly string[]
  readonly reason: string | undefined
  readonly message: string
  /** The schema type of the value that the rule is attached to. */
  readonly type: string
  /** The value at `path`. */
  readonly value: unknown
  /** The rule ended with an error or a spent limit, so nothing is known about the object. */
  readonly failed: boolean
}

/** One object being validated. It ends when the budget is spent: then the last violation says so. */
export class RuleRun {
  /** The violations so far, in the order of the object's fields. */
  readonly violations: RuleViolation[] = []
  readonly #budget: Budget
  readonly #optionalOldSelf: boolean
  readonly #ratchets: boolean
  #stopped = false

  constructor(budget: Budget, options: RuleOptions) {
    this.#budget = budget
    this.#optionalOldSelf = options.optionalOldSelf === true
    this.#ratchets = options.ratcheting === true
  }

  /**
   * Runs the rules of a node and of everything below it. `old` is the corresponding value of the replaced object.
   * Yields after each rule.
   */
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

  /** Whether the node has rules that need not hold for an unchanged value. */
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

  /** Runs one rule, unless it is a transition rule without an old value. */
  #apply(compiled: CompiledRule, node: RuleNode, value: unknown, old: unknown, path: string): void {
    const { rule, transition } = compiled
    const optional = rule.optionalOldSelf === true
    if (transition && old === undefined && !(optional && this.#optionalOldSelf)) return
    if (this.#budget.remaining <= 0) {
      this.#stop(path, node, value)
      return
    }
    const former = optional ? optionalOf(node, old) : old
    this.#evaluate(compiled, node, path, { self: value, oldSelf: former })
  }

  /** Evaluates a rule and reports a violation, an error or a spent limit. */
  #evaluate(compiled: CompiledRule, node: RuleNode, path: string, bindings: Bindings): void {
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
    this.violations.push({ reason: undefined, reads: [], ...said, type, value })
  }

  /** The message of a violated rule: its `messageExpression`, its `message`, or the rule itself. */
  #messageOf(compiled: CompiledRule, bindings: Bindings): { message: string; stop?: boolean } {
    const { message, rule } = compiled
    const text = message && this.#evaluated(message, bindings)
    if (text?.stop) return { message: text.message ?? outOfBudget, stop: true }
    const plain = rule.message ? rule.message.trim() : `failed rule: ${nameOf(rule)}`
    return { message: text?.message ?? plain }
  }

  /** The text of a message expression; none if it fails or gives a text that cannot be shown. */
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

/** Steps that a rule takes beyond its cost. */
const workOfRule = 2

/** The longest text of a message expression, in bytes. */
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

/** The items of a list of type `map` by their keys. */
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
