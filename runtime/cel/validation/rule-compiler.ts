/**
 * The rules of a schema, node by node: compiled once, with everything that is wrong with them as findings, the estimate of
 * what they can cost included (api-server.md section 2, supplement C-13 to C-15).
 */

import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { formatValue } from '../../kernel/validation/report.ts'
import { createEnvironment, type Environment, withVariables } from '../check/environment.ts'
import { apiLibraries } from '../library/api-libraries.ts'
import { compile } from '../program/compile.ts'
import type { Compilation, Issue, Program } from '../program/program.ts'
import type { SchemaNode, ValidationRule } from '../schema/json-schema.ts'
import { requestSize, type SchemaType, schemaType } from '../schema/schema-types.ts'
import { optionalType, printType } from '../types/types.ts'
import type { Result, Value } from '../values/values.ts'
import { costLimits, overBudget, saturatingMultiply } from './cost-limits.ts'
import { resolveFieldPath } from './field-path.ts'

/** How rules are compiled. */
export interface RuleOptions {
  /** What extension keys are written with in paths and texts: `orch` for `x-orch-validations`. */
  readonly extension: string
  /** The gate of rules that run without an old value. */
  readonly optionalOldSelf?: boolean
  /** Values that are as they were may stay wrong, except for rules about changes. */
  readonly ratcheting?: boolean
  /** The root is no resource: rules see no `metadata` there, nor what names the kind. */
  readonly notResource?: boolean
  /** The costs were estimated when the rules were written: they are not estimated again. */
  readonly costChecked?: boolean
  /** Compile the rules beside one that is not well formed, too. */
  readonly compileAll?: boolean
}

/** What is wrong with a rule, for whom the rule itself says more than its path in the schema. */
export interface RuleProblem {
  readonly rule: ValidationRule
  readonly part: keyof ValidationRule
  readonly is: 'form' | 'syntax' | 'type' | 'cost'
  readonly message: string
  /** Set if the part is an expression that does not compile: each mistake and where it stands. */
  readonly issues?: readonly Issue[]
}

/** A rule that compiled. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly program: Program
  readonly message: Program | undefined
  /** Reads `oldSelf`: a transition rule. */
  readonly transition: boolean
  /** Where its findings are shown, relative to the node. */
  readonly fieldPath: string
}

/** A node with rules at it or below it. */
export interface RuleNode {
  readonly type: string
  readonly read: (raw: unknown) => Result
  readonly rules: readonly CompiledRule[]
  /** False for atomic maps and structs, lists that are not maps: below, old and new cannot be matched. */
  readonly correlatable: boolean
  readonly listMapKeys: readonly string[]
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly additional: RuleNode | undefined
  readonly items: RuleNode | undefined
}

/** What an expression was estimated at: its worst case times how often it can run. */
export interface ExpressionCost {
  readonly path: string
  readonly cost: number
}

/** Where the walk through a schema stands. */
interface CompileContext {
  readonly path: string
  readonly root: boolean
  /** How often one object can have a value here; undefined when it is not bounded. */
  readonly times: number | undefined
  /** The highest node above whose parts cannot be matched. */
  readonly uncorrelatable: string | undefined
  /** The definitions that it is in. */
  readonly inside?: ReadonlySet<string>
}

/** One walk through a schema. */
export class RuleCompiler {
  readonly findings: FieldError[] = []
  readonly problems: RuleProblem[] = []
  readonly costs: ExpressionCost[] = []
  readonly #options: RuleOptions
  readonly #named = new Map<string, MutableNode>()

  constructor(options: RuleOptions) {
    this.#options = options
  }

  /** The node with what is below it, or undefined if there is no rule in it. */
  *compile(node: SchemaNode, given: CompileContext): Steps<RuleNode | undefined> {
    if (node.hasNoRules) return undefined
    const place = contextWithin(node, given)
    const key = memoKey(node, place)
    const known = key === undefined ? undefined : this.#named.get(key)
    if (known !== undefined) return known
    const type = node.validations.length > 0 ? schemaType(node, 'self', place.root) : undefined
    const made: MutableNode = {
      type: node.type,
      read: type?.read ?? (() => null),
      rules: [],
      correlatable: node.type === 'array' ? node.listType === 'map' : node.mapType !== 'atomic',
      listMapKeys: node.listMapKeys,
      properties: new Map(),
      additional: undefined,
      items: undefined,
    }
    if (key !== undefined) this.#named.set(key, made)
    yield* this.#children(node, made, place)
    made.rules = yield* this.#rules(node, type, place)
    return made.rules.length > 0 || made.properties.size > 0 || made.additional || made.items
      ? made
      : undefined
  }

  *#children(node: SchemaNode, made: MutableNode, place: CompileContext): Steps<void> {
    const uncorrelatable = place.uncorrelatable ?? (made.correlatable ? undefined : place.path)
    const below = (child: SchemaNode, path: string, by: number | undefined): CompileContext => ({
      path: `${place.path}.${path}`,
      root: child.embeddedResource,
      inside: place.inside ?? new Set(),
      times:
        place.times === undefined || by === undefined
          ? undefined
          : saturatingMultiply(place.times, by),
      uncorrelatable,
    })
    const properties = new Map<string, RuleNode>()
    for (const [name, child] of node.properties ?? []) {
      const found = yield* this.compile(child, below(child, `properties[${name}]`, 1))
      if (found !== undefined) properties.set(name, found)
    }
    made.properties = properties
    const { additionalProperties: additional, items, maxItems, maxProperties } = node
    made.additional =
      additional &&
      (yield* this.compile(additional, below(additional, 'additionalProperties', maxProperties)))
    made.items = items && (yield* this.compile(items, below(items, 'items', maxItems)))
  }

  *#rules(
    node: SchemaNode,
    type: SchemaType | undefined,
    place: CompileContext,
  ): Steps<readonly CompiledRule[]> {
    if (node.validations.length === 0) return []
    const path = `${place.path}.x-${this.#options.extension}-validations`
    const wellFormed = node.validations.map((rule, index) =>
      this.#wellFormed(rule, node, `${path}[${index}]`),
    )
    if (!wellFormed.every(Boolean) && this.#options.compileAll !== true) return []
    if (type === undefined) {
      const unknown = `x-${this.#options.extension}-preserve-unknown-fields: '${node.preserveUnknownFields}'`
      const why = `rule declared on schema that does not support validation rules type: '${node.type}' ${unknown}`
      const text = 'no rule can stand beside a value whose type expressions do not know'
      for (const rule of node.validations) this.#tell(rule, 'rule', 'type', text)
      this.#report(path, 'InternalError', `Internal error: ${why}`)
      return []
    }
    const found: CompiledRule[] = []
    for (const [index, rule] of node.validations.entries()) {
      if (!wellFormed[index]) continue
      const compiled = this.#rule(rule, node, type, place, `${path}[${index}]`)
      if (compiled !== undefined) found.push(compiled)
      yield workOfCompiling(rule)
    }
    return found
  }

  #report(path: string, reason: FieldError['reason'], message: string): void {
    this.findings.push({ path, reason, message })
  }

  #tell(
    rule: ValidationRule,
    part: RuleProblem['part'],
    is: RuleProblem['is'],
    message: string,
    issues?: readonly Issue[],
  ): void {
    this.problems.push({ rule, part, is, message, ...(issues && { issues }) })
  }

  #invalid(path: string, value: unknown, why: string): void {
    this.#report(path, 'FieldValueInvalid', `Invalid value: ${formatValue(value)}: ${why}`)
  }

  /** What can be said about a rule without compiling it. */
  #wellFormed(rule: ValidationRule, node: SchemaNode, path: string): boolean {
    const before = this.findings.length
    const { message, messageExpression, reason, fieldPath } = rule
    const required = (field: keyof ValidationRule, why: string) => {
      this.#tell(rule, field, 'form', why)
      this.#report(`${path}.${field}`, 'FieldValueRequired', `Required value: ${why}`)
    }
    const refused = (field: keyof ValidationRule, value: unknown, why: string) => {
      this.#tell(rule, field, 'form', why)
      this.#invalid(`${path}.${field}`, value, why)
    }
    if (rule.rule.trim() === '') required('rule', 'rule is not specified')
    else if (message && message.trim() === '') {
      refused('message', message, 'message must be non-empty if specified')
    } else if (message && lineBreak.test(message.trim())) {
      refused('message', message, 'message must not contain line breaks')
    } else if (!message && lineBreak.test(rule.rule.trim())) {
      required('message', 'message must be specified if rule contains line breaks')
    }
    if (messageExpression && messageExpression.trim() === '') {
      required('messageExpression', 'messageExpression must be non-empty if specified')
    }
    if (reason !== undefined && !reasons.includes(reason)) {
      const known = reasons.map((one) => `"${one}"`).join(', ')
      const text = `Unsupported value: ${formatValue(reason)}: supported values: ${known}`
      this.#tell(rule, 'reason', 'form', `"${reason}" is no reason; expected one of ${known}`)
      this.#report(`${path}.reason`, 'FieldValueNotSupported', text)
    }
    if (fieldPath) {
      this.#fieldPath(fieldPath, node, (why) => refused('fieldPath', fieldPath, why))
    }
    return this.findings.length === before
  }

  #fieldPath(text: string, node: SchemaNode, refused: (why: string) => void): void {
    if (text.trim() === '') refused('fieldPath must be non-empty if specified')
    if (lineBreak.test(text)) refused('fieldPath must not contain line breaks')
    if (resolveFieldPath(text, node) === undefined) refused('fieldPath must be a valid path')
  }

  #rule(
    rule: ValidationRule,
    node: SchemaNode,
    type: SchemaType,
    place: CompileContext,
    path: string,
  ): CompiledRule | undefined {
    const environment = environmentOf(type, rule.optionalOldSelf === true)
    const compiled = compile(rule.rule, environment)
    if (!compiled.ok) {
      this.#uncompiled(rule, 'rule', compiled)
      if (this.#options.compileAll === true) this.#message(rule, environment, path)
      this.#invalid(`${path}.rule`, rule, `compilation failed: ${compiled.text}`)
      return undefined
    }
    const { program } = compiled
    if (program.type.kind !== 'bool') {
      this.#tell(rule, 'rule', 'type', `expected a bool, not ${printType(program.type)}`)
      this.#invalid(`${path}.rule`, rule, 'cel expression must evaluate to a bool')
      return undefined
    }
    this.#cost(rule, 'rule', `${path}.rule`, () => {
      const often = place.times ?? Math.floor(requestSize / (type.minSize + 1))
      return saturatingMultiply(program.estimate.max, often)
    })
    const transition = program.variables.has('oldSelf')
    this.#transition(rule, transition, place, path)
    const message = this.#message(rule, environment, path)
    const fieldPath = rule.fieldPath ? (resolveFieldPath(rule.fieldPath, node) ?? '') : ''
    return { rule, program, message, transition, fieldPath }
  }

  #transition(
    rule: ValidationRule,
    transition: boolean,
    place: CompileContext,
    path: string,
  ): void {
    if (!transition && rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule'
      this.#tell(rule, 'optionalOldSelf', 'form', why)
      this.#invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why)
    }
    if (!transition || place.uncorrelatable === undefined) return
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`
    this.#tell(rule, 'rule', 'form', correlation)
    this.#invalid(`${path}.rule`, rule.rule, why)
  }

  #message(rule: ValidationRule, environment: Environment, path: string): Program | undefined {
    if (!rule.messageExpression) return undefined
    const place = `${path}.messageExpression`
    const compiled = compile(rule.messageExpression, environment)
    if (!compiled.ok) {
      this.#uncompiled(rule, 'messageExpression', compiled)
      this.#invalid(place, rule, `messageExpression compilation failed: ${compiled.text}`)
      return undefined
    }
    if (compiled.program.type.kind !== 'string') {
      const found = printType(compiled.program.type)
      this.#tell(rule, 'messageExpression', 'type', `expected a string, not ${found}`)
      this.#invalid(place, rule, 'messageExpression must evaluate to a string')
      return undefined
    }
    this.#cost(rule, 'messageExpression', place, () => compiled.program.estimate.max)
    return compiled.program
  }

  #cost(
    rule: ValidationRule,
    what: keyof ValidationRule,
    path: string,
    estimate: () => number,
  ): void {
    if (this.#options.costChecked === true) return
    const cost = estimate()
    this.costs.push({ path, cost })
    const text = overBudget(`estimated ${what} cost`, cost, costLimits.expression)
    if (text === undefined) return
    this.#tell(rule, what, 'cost', text)
    this.#report(path, 'FieldValueForbidden', `Forbidden: ${text}`)
  }

  #uncompiled(
    rule: ValidationRule,
    part: 'rule' | 'messageExpression',
    { parsed, issues }: Extract<Compilation, { ok: false }>,
  ): void {
    this.#tell(rule, part, parsed ? 'type' : 'syntax', 'does not compile', issues)
  }
}

/** The place with the node's definition. What contains itself can be there as often as a request has room for it. */
function contextWithin({ name }: SchemaNode, place: CompileContext): CompileContext {
  if (name === undefined) return place
  if (place.inside?.has(name)) return { ...place, times: undefined }
  return { ...place, inside: new Set([...(place.inside ?? []), name]) }
}

/** What nodes share that are compiled once: the name of their definition and all that their rules are judged by. */
function memoKey(
  { name, validationsBesideRef: special }: SchemaNode,
  place: CompileContext,
): string | undefined {
  if (name === undefined) return undefined
  const judged = `${place.times ?? ''} ${place.uncorrelatable === undefined} ${place.root}`
  return `${name} ${judged} ${special ?? ''}`
}

const correlation =
  'oldSelf cannot be used inside a list that is no map of its items, nor in what is replaced whole'

let base: Environment | undefined

function environmentOf(type: SchemaType, optional: boolean): Environment {
  const { read, bounds } = type
  const asIs = (raw: unknown) => raw as Value
  base ??= createEnvironment({ libraries: apiLibraries })
  return withVariables(base, [
    { name: 'self', type: type.type, read, bounds },
    optional
      ? { name: 'oldSelf', type: optionalType(type.type), read: asIs, bounds }
      : { name: 'oldSelf', type: type.type, read, bounds },
  ])
}

type MutableNode = { -readonly [K in keyof RuleNode]: RuleNode[K] }

/** What compiling a rule and estimating its cost takes, in the units of steps. */
function workOfCompiling({ rule, messageExpression = '' }: ValidationRule): number {
  return 100 + 5 * (rule.length + messageExpression.length)
}

const lineBreak = /[\n\r]/
const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]
