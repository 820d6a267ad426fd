/**
 * Compiles the validation rules of a schema, node by node, and collects everything that is wrong with them, including
 * the estimated cost (api-server.md section 2, supplement C-13 to C-15).
 */

import type { Steps } from '../../kernel/async/slices.ts'
import type { ValidationRule } from '../../kernel/descriptors/validation-rules.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { formatValue } from '../../kernel/validation/report.ts'
import { createEnvironment, type Environment, withVariables } from '../check/environment.ts'
import { apiLibraries } from '../library/api-libraries.ts'
import { compile } from '../program/compile.ts'
import type { Compilation, Issue, Program } from '../program/program.ts'
import type { SchemaNode } from '../schema/schema-node.ts'
import { requestSize, type SchemaType, schemaType } from '../schema/schema-types.ts'
import { boolType, optionalType, printType, stringType, type Type } from '../types/types.ts'
import type { Value } from '../values/values.ts'
import { costLimits, overBudget, saturatingMultiply } from './cost-limits.ts'
import { resolveFieldPath } from './field-path.ts'
import { mistakesInForm } from './rule-form.ts'
import type {
  CompiledRule,
  ExpressionCost,
  RuleNode,
  RuleOptions,
  RuleProblem,
} from './rule-node.ts'

/** Where the walk through the schema is. */
interface CompileContext {
  readonly path: string
  readonly root: boolean
  /** How many values one object can have here; undefined if that is not bounded. */
  readonly times: number | undefined
  /** The path of the highest node above whose parts cannot be matched between old and new. */
  readonly uncorrelatable: string | undefined
  /** The names of the definitions that the walk is inside of. */
  readonly inside?: ReadonlySet<string>
}

const mapTypes: ReadonlySet<string | undefined> = new Set([undefined, 'granular', 'atomic'])

/** True if the parts of old and new values correspond to each other: by name, or by the keys of a map. */
function isCorrelatable({ type, listType, mapType }: SchemaNode): boolean {
  return type === 'array' ? listType === 'map' : mapTypes.has(mapType)
}

/** One walk through a schema. */
export class RuleCompiler {
  /** The errors of the rules, with their paths in the schema. */
  readonly findings: FieldError[] = []
  /** The same for each rule, in the terms of its author. */
  readonly problems: RuleProblem[] = []
  /** The estimate of every expression that was compiled. */
  readonly costs: ExpressionCost[] = []
  readonly #options: RuleOptions
  readonly #named = new Map<string, MutableNode>()

  constructor(options: RuleOptions) {
    this.#options = options
  }

  /** The node with what is below it; undefined if there is no rule in it. Yields between rules. */
  *compile(node: SchemaNode, outer: CompileContext): Steps<RuleNode | undefined> {
    if (node.hasNoRules) return undefined
    const context = contextWithin(node, outer)
    const key = memoKey(node, context)
    const known = key === undefined ? undefined : this.#named.get(key)
    if (known !== undefined) return known
    const type = node.validations.length > 0 ? schemaType(node, 'self', context.root) : undefined
    const made: MutableNode = {
      type: node.type,
      read: type?.read ?? (() => null),
      rules: [],
      correlatable: isCorrelatable(node),
      listMapKeys: node.listMapKeys,
      properties: new Map(),
      additional: undefined,
      items: undefined,
    }
    if (key !== undefined) this.#named.set(key, made)
    yield* this.#children(node, made, context)
    made.rules = yield* this.#rules(node, type, context)
    return made.rules.length > 0 || made.properties.size > 0 || made.additional || made.items
      ? made
      : undefined
  }

  *#children(node: SchemaNode, made: MutableNode, context: CompileContext): Steps<void> {
    const uncorrelatable = context.uncorrelatable ?? (made.correlatable ? undefined : context.path)
    const below = (child: SchemaNode, path: string, by: number | undefined): CompileContext => ({
      path: `${context.path}.${path}`,
      root: child.embeddedResource,
      inside: context.inside ?? new Set(),
      times:
        context.times === undefined || by === undefined
          ? undefined
          : saturatingMultiply(context.times, by),
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

  /** The compiled rules of one node. */
  *#rules(
    node: SchemaNode,
    type: SchemaType | undefined,
    context: CompileContext,
  ): Steps<readonly CompiledRule[]> {
    if (node.validations.length === 0) return []
    const path = `${context.path}.x-${this.#options.extension}-validations`
    const wellFormed = node.validations.map((rule, index) =>
      this.#wellFormed(rule, node, `${path}[${index}]`),
    )
    const { compileAll, formsChecked } = this.#options
    if (!wellFormed.every(Boolean) && compileAll !== true && formsChecked !== true) return []
    if (type === undefined) {
      const why = `internal error: failed to construct type information for x-${this.#options.extension}-validations rules: unable to convert structural schema to CEL declarations`
      const text = 'no rule can stand beside a value whose type expressions do not know'
      for (const rule of node.validations) this.#addProblem(rule, 'rule', 'type', text)
      this.#addFinding(path, 'InternalError', `Internal error: ${why}`)
      return []
    }
    const found: CompiledRule[] = []
    for (const [index, rule] of node.validations.entries()) {
      if (!wellFormed[index]) continue
      const compiled = this.#rule(rule, node, type, context, `${path}[${index}]`)
      if (compiled !== undefined) found.push(compiled)
      yield workOfCompiling(rule)
    }
    return found
  }

  #addFinding(path: string, reason: FieldError['reason'], message: string): void {
    this.findings.push({ path, reason, message })
  }

  #addProblem(
    rule: ValidationRule,
    part: RuleProblem['part'],
    is: RuleProblem['is'],
    message: string,
    issues?: readonly Issue[],
  ): void {
    this.problems.push({ rule, part, is, message, ...(issues && { issues }) })
  }

  #invalid(path: string, value: unknown, why: string): void {
    this.#addFinding(path, 'FieldValueInvalid', `Invalid value: ${formatValue(value)}: ${why}`)
  }

  /** Reports what is wrong with a rule before it is compiled; whether nothing is. */
  #wellFormed(rule: ValidationRule, node: SchemaNode, path: string): boolean {
    if (this.#options.formsChecked === true) return rule.rule.trim() !== ''
    const mistakes = mistakesInForm(rule, node)
    for (const { part, problem, reason, message } of mistakes) {
      this.#addProblem(rule, part, 'form', problem)
      this.#addFinding(`${path}.${part}`, reason, message)
    }
    return mistakes.length === 0
  }

  #rule(
    rule: ValidationRule,
    node: SchemaNode,
    type: SchemaType,
    context: CompileContext,
    path: string,
  ): CompiledRule | undefined {
    const optionals = this.#options.compileAll === true
    const bounds = optionals ? { ...type.bounds, optionals } : type.bounds
    const { stored } = this.#options
    const environment = {
      ...environmentOf({ ...type, bounds }, rule.optionalOldSelf === true),
      stored,
    }
    const compiled = compile(rule.rule, environment)
    if (!compiled.ok) {
      this.#uncompiled(rule, 'rule', compiled)
      if (this.#options.compileAll === true) this.#message(rule, environment, path)
      this.#invalid(`${path}.rule`, rule, whyRefused(compiled, boolType))
      return undefined
    }
    const { program } = compiled
    if (program.type.kind !== 'bool') {
      this.#addProblem(rule, 'rule', 'type', `expected a bool, not ${printType(program.type)}`)
      this.#invalid(`${path}.rule`, rule, notOfType.bool)
      return undefined
    }
    this.#cost(rule, 'rule', `${path}.rule`, () => {
      const often = context.times ?? Math.floor(requestSize / (type.minSize + 1))
      return saturatingMultiply(program.estimate.max, often)
    })
    const transition = program.variables.has('oldSelf')
    this.#transition(rule, transition, context, path)
    const message = this.#message(rule, environment, path)
    const fieldPath = rule.fieldPath ? (resolveFieldPath(rule.fieldPath, node) ?? '') : ''
    return { rule, program, message, transition, fieldPath }
  }

  #transition(
    rule: ValidationRule,
    transition: boolean,
    context: CompileContext,
    path: string,
  ): void {
    if (!transition && rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule'
      this.#addProblem(rule, 'optionalOldSelf', 'form', why)
      this.#invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why)
    }
    if (!transition || context.uncorrelatable === undefined) return
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelatable}`
    this.#addProblem(rule, 'rule', 'form', correlation)
    this.#invalid(`${path}.rule`, rule.rule, why)
  }

  #message(rule: ValidationRule, environment: Environment, path: string): Program | undefined {
    if (!rule.messageExpression) return undefined
    const expressionPath = `${path}.messageExpression`
    const compiled = compile(rule.messageExpression, environment)
    if (!compiled.ok) {
      this.#uncompiled(rule, 'messageExpression', compiled)
      this.#invalid(expressionPath, rule, whyRefused(compiled, stringType))
      return undefined
    }
    if (compiled.program.type.kind !== 'string') {
      const found = printType(compiled.program.type)
      this.#addProblem(rule, 'messageExpression', 'type', `expected a string, not ${found}`)
      this.#invalid(expressionPath, rule, notOfType.string)
      return undefined
    }
    this.#cost(rule, 'messageExpression', expressionPath, () => compiled.program.estimate.max)
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
    this.#addProblem(rule, what, 'cost', text)
    this.#addFinding(path, 'FieldValueForbidden', `Forbidden: ${text}`)
  }

  #uncompiled(
    rule: ValidationRule,
    part: 'rule' | 'messageExpression',
    { parsed, issues }: Extract<Compilation, { ok: false }>,
  ): void {
    this.#addProblem(rule, part, parsed ? 'type' : 'syntax', 'does not compile', issues)
  }
}

type Refusal = Extract<Compilation, { ok: false }>

/** What a client is told of a rule (of type bool) or a messageExpression (string) that does not compile. */
function whyRefused({ text, type }: Refusal, wanted: Type): string {
  const message = wanted.kind === 'string'
  if (type === undefined) return `${message ? 'messageExpression ' : ''}compilation failed: ${text}`
  if (type.kind !== wanted.kind) return notOfType[message ? 'string' : 'bool']
  return `${message ? 'messageExpression' : 'program'} instantiation failed: ${text}`
}

const notOfType = {
  bool: 'cel expression must evaluate to a bool',
  string: 'messageExpression must evaluate to a string',
}

/**
 * The context inside the node's definition. A definition that contains itself can occur as often as a request can hold
 * it.
 */
function contextWithin({ name }: SchemaNode, context: CompileContext): CompileContext {
  if (name === undefined) return context
  if (context.inside?.has(name)) return { ...context, times: undefined }
  return { ...context, inside: new Set([...(context.inside ?? []), name]) }
}

/** What two nodes must have in common to be compiled once: the definition and everything that its rules depend on. */
function memoKey(
  { name, validationsBesideRef: special }: SchemaNode,
  context: CompileContext,
): string | undefined {
  if (name === undefined) return undefined
  const judged = `${context.times ?? ''} ${context.uncorrelatable === undefined} ${context.root}`
  return `${name} ${judged} ${special ?? ''}`
}

const correlation =
  'oldSelf cannot be used inside a list that is no map of its items, nor in what is replaced whole'

let base: Environment | undefined

/** The environment of a node's rules: the API libraries, `self` and `oldSelf`. */
function environmentOf(type: SchemaType, optional: boolean): Environment {
  const { read, bounds } = type
  const asIs = (raw: unknown) => raw as Value
  base ??= createEnvironment({ libraries: apiLibraries })
  const oldSelf = optional
    ? { name: 'oldSelf', type: optionalType(type.type), read: asIs }
    : { name: 'oldSelf', type: type.type, read }
  return withVariables(base, [{ name: 'self', type: type.type, read }, oldSelf], bounds)
}

type MutableNode = { -readonly [K in keyof RuleNode]: RuleNode[K] }

/** The time that compiling a rule and estimating its cost take, in steps. */
function workOfCompiling({ rule, messageExpression = '' }: ValidationRule): number {
  return 100 + 5 * (rule.length + messageExpression.length)
}
