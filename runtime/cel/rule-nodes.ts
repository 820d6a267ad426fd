/**
 * The rules of a schema, node by node: compiled once, with everything that is wrong with them as findings, the estimate of
 * what they can cost included (api-server.md section 2, supplement C-13 to C-15).
 */
import { show } from '../kernel/findings.ts'
import type { Finding } from '../kernel/read.ts'
import { compile, type Program } from './cel.ts'
import { createEnvironment, type Environment, withVariables } from './check/environment.ts'
import { fieldPathOf } from './field-path.ts'
import { apiLibraries } from './libraries.ts'
import { limits, overBudget, times } from './rule-costs.ts'
import type { SchemaNode, ValidationRule } from './schema.ts'
import { requestSize, type SchemaType, schemaType } from './schema-types.ts'
import { optionalType } from './types.ts'
import type { Result, Value } from './values.ts'

/** How rules are compiled. */
export interface RuleOptions {
  /** What extension keys are written with in paths and texts: `orch` for `x-orch-validations`. */
  readonly extension: string
  /** The gate of rules that run without an old value. */
  readonly optionalOldSelf?: boolean
  /** Values that are as they were may stay wrong, except for rules about changes. */
  readonly ratchets?: boolean
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
interface Place {
  readonly path: string
  readonly root: boolean
  /** How often one object can have a value here; undefined when it is not bounded. */
  readonly times: number | undefined
  /** The highest node above whose parts cannot be matched. */
  readonly uncorrelatable: string | undefined
}

/** One walk through a schema. */
export class RuleCompiler {
  readonly findings: Finding[] = []
  readonly costs: ExpressionCost[] = []
  readonly #options: RuleOptions
  readonly #named = new Map<string, MutableNode>()

  constructor(options: RuleOptions) {
    this.#options = options
  }

  /** The node with what is below it, or undefined if there is no rule in it. */
  compile(node: SchemaNode, place: Place): RuleNode | undefined {
    if (node.bare) return undefined
    const known = node.name === undefined ? undefined : this.#named.get(node.name)
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
    if (node.name !== undefined) this.#named.set(node.name, made)
    this.#children(node, made, place)
    made.rules = this.#rules(node, type, place)
    return made.rules.length > 0 || made.properties.size > 0 || made.additional || made.items
      ? made
      : undefined
  }

  #children(node: SchemaNode, made: MutableNode, place: Place): void {
    const uncorrelatable = place.uncorrelatable ?? (made.correlatable ? undefined : place.path)
    const below = (child: SchemaNode, path: string, by: number | undefined): Place => ({
      path: `${place.path}.${path}`,
      root: child.embeddedResource,
      times: place.times === undefined || by === undefined ? undefined : times(place.times, by),
      uncorrelatable,
    })
    const properties = new Map<string, RuleNode>()
    for (const [name, child] of node.properties ?? []) {
      const found = this.compile(child, below(child, `properties[${name}]`, 1))
      if (found !== undefined) properties.set(name, found)
    }
    made.properties = properties
    const { additionalProperties: additional, items, maxItems, maxProperties } = node
    made.additional =
      additional &&
      this.compile(additional, below(additional, 'additionalProperties', maxProperties))
    made.items = items && this.compile(items, below(items, 'items', maxItems))
  }

  #rules(node: SchemaNode, type: SchemaType | undefined, place: Place): readonly CompiledRule[] {
    if (node.validations.length === 0) return []
    const path = `${place.path}.x-${this.#options.extension}-validations`
    const wellFormed = node.validations.map((rule, index) =>
      this.#wellFormed(rule, node, `${path}[${index}]`),
    )
    if (!wellFormed.every(Boolean)) return []
    if (type === undefined) {
      const unknown = `x-${this.#options.extension}-preserve-unknown-fields: '${node.preserveUnknownFields}'`
      const why = `rule declared on schema that does not support validation rules type: '${node.type}' ${unknown}`
      this.#report(path, 'InternalError', `Internal error: ${why}`)
      return []
    }
    return node.validations.flatMap((rule, index) => {
      const compiled = this.#rule(rule, node, type, place, `${path}[${index}]`)
      return compiled === undefined ? [] : [compiled]
    })
  }

  #report(path: string, reason: Finding['reason'], message: string): void {
    this.findings.push({ path, reason, message })
  }

  #invalid(path: string, value: unknown, why: string): void {
    this.#report(path, 'FieldValueInvalid', `Invalid value: ${show(value)}: ${why}`)
  }

  /** What can be said about a rule without compiling it. */
  #wellFormed(rule: ValidationRule, node: SchemaNode, path: string): boolean {
    const before = this.findings.length
    const { message, messageExpression, reason, fieldPath } = rule
    const required = (field: string, why: string) =>
      this.#report(`${path}.${field}`, 'FieldValueRequired', `Required value: ${why}`)
    if (rule.rule.trim() === '') required('rule', 'rule is not specified')
    else if (message && message.trim() === '') {
      this.#invalid(`${path}.message`, message, 'message must be non-empty if specified')
    } else if (message && lineBreak.test(message.trim())) {
      this.#invalid(`${path}.message`, message, 'message must not contain line breaks')
    } else if (!message && lineBreak.test(rule.rule.trim())) {
      required('message', 'message must be specified if rule contains line breaks')
    }
    if (messageExpression && messageExpression.trim() === '') {
      required('messageExpression', 'messageExpression must be non-empty if specified')
    }
    if (reason !== undefined && !reasons.includes(reason)) {
      const known = reasons.map((one) => `"${one}"`).join(', ')
      const text = `Unsupported value: ${show(reason)}: supported values: ${known}`
      this.#report(`${path}.reason`, 'FieldValueNotSupported', text)
    }
    if (fieldPath) this.#fieldPath(fieldPath, node, `${path}.fieldPath`)
    return this.findings.length === before
  }

  #fieldPath(text: string, node: SchemaNode, path: string): void {
    if (text.trim() === '') this.#invalid(path, text, 'fieldPath must be non-empty if specified')
    if (lineBreak.test(text)) this.#invalid(path, text, 'fieldPath must not contain line breaks')
    if (fieldPathOf(text, node) === undefined) {
      this.#invalid(path, text, 'fieldPath must be a valid path')
    }
  }

  #rule(
    rule: ValidationRule,
    node: SchemaNode,
    type: SchemaType,
    place: Place,
    path: string,
  ): CompiledRule | undefined {
    const environment = environmentOf(type, rule.optionalOldSelf === true)
    const compiled = compile(rule.rule, environment)
    if (!compiled.ok) {
      this.#invalid(`${path}.rule`, rule, `compilation failed: ${compiled.text}`)
      return undefined
    }
    const { program } = compiled
    if (program.type.kind !== 'bool') {
      this.#invalid(`${path}.rule`, rule, 'cel expression must evaluate to a bool')
      return undefined
    }
    const often = place.times ?? Math.floor(requestSize / (type.minSize + 1))
    this.#cost('rule', `${path}.rule`, times(program.estimate.max, often))
    const transition = program.variables.has('oldSelf')
    this.#transition(rule, transition, place, path)
    const message = this.#message(rule, environment, path)
    const fieldPath = rule.fieldPath ? (fieldPathOf(rule.fieldPath, node) ?? '') : ''
    return { rule, program, message, transition, fieldPath }
  }

  #transition(rule: ValidationRule, transition: boolean, place: Place, path: string): void {
    if (!transition && rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule'
      this.#invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why)
    }
    if (!transition || place.uncorrelatable === undefined) return
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`
    this.#invalid(`${path}.rule`, rule.rule, why)
  }

  #message(rule: ValidationRule, environment: Environment, path: string): Program | undefined {
    if (!rule.messageExpression) return undefined
    const place = `${path}.messageExpression`
    const compiled = compile(rule.messageExpression, environment)
    if (!compiled.ok) {
      this.#invalid(place, rule, `messageExpression compilation failed: ${compiled.text}`)
      return undefined
    }
    if (compiled.program.type.kind !== 'string') {
      this.#invalid(place, rule, 'messageExpression must evaluate to a string')
      return undefined
    }
    this.#cost('messageExpression', place, compiled.program.estimate.max)
    return compiled.program
  }

  #cost(what: string, path: string, cost: number): void {
    this.costs.push({ path, cost })
    const text = overBudget(`estimated ${what} cost`, cost, limits.expression)
    if (text !== undefined) this.#report(path, 'FieldValueForbidden', `Forbidden: ${text}`)
  }
}

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

const lineBreak = /[\n\r]/
const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]
