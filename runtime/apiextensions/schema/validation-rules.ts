/**
 * The validation rules of schemas in CEL (`x-<extension>-validations`): compiled once for each version of a definition, evaluated
 * once for each write of an object. Only this file of the module knows CEL.
 */
import { compileRulesInSteps, formErrors, readSchema } from '../../cel/cel.ts'
import type { Steps } from '../../kernel/async/slices.ts'
import { type EnabledGates, ratchetingGate } from '../../kernel/descriptors/enabled-gates.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { Schema } from './schema.ts'

/** Evaluates the rules for an object, and for an update its old object. Yields costs in steps. */
export type RuleCheck = (
  object: ApiObject,
  old: ApiObject | undefined,
) => Steps<readonly FieldError[]>

/** The rules of one version of a definition. */
export interface CompiledRules {
  /** Expressions that do not compile or may cost too much (supplement C-13 to C-15). */
  readonly errors: readonly FieldError[]
  /** The errors of the total cost, where not all expressions count; `errors` has those of all. */
  readonly totalErrors: (counts: (path: string) => boolean) => readonly FieldError[]
  /** Absent if the schema has no rules. */
  readonly check?: RuleCheck
}

/** How rules are compiled. */
export interface RuleOptions {
  /** The prefix of extension keys. */
  readonly extension: string
  readonly gates: EnabledGates
  /** True if the form of rules is judged elsewhere: they are compiled whatever it is. */
  readonly formsChecked?: boolean
  /** True if the costs were estimated before, when the definition was written. */
  readonly costChecked?: boolean
  /** The expressions of the definition that is replaced; empty for a new one. Undefined: none is judged as new. */
  readonly stored?: ReadonlySet<string>
  /** True for a node that is not a whole object: its metadata is not there unless it is declared. */
  readonly notResource?: boolean
}

/** What is wrong with the form of a node's rules, which need not be compiled for that. */
export function validateRuleForms(
  { raw, validations }: Schema,
  path: string,
  extension: string,
): readonly FieldError[] {
  if (validations.length === 0) return []
  const node = readSchema(raw, { prefixes: [extension], structural: true })
  return formErrors(node, `${path}.x-${extension}-validations`)
}

/** True for the error of a rule whose field path leads nowhere in its schema. */
export function isOfPathInSchema({ message }: FieldError): boolean {
  return message.endsWith(': fieldPath must be a valid path')
}

/** Compiles the rules of a schema; `path` is that of the schema in the definition. Yields costs in steps. */
export function* compileRules(
  schema: Schema,
  path: string,
  { extension, gates, stored, costChecked = false, formsChecked, notResource = false }: RuleOptions,
): Steps<CompiledRules> {
  const withRules = new Set<JsonObject>()
  if (!collectNodesWithRules(schema, withRules)) return { errors: [], totalErrors: () => [] }
  const mayHaveRules = (raw: JsonObject): boolean => withRules.has(raw)
  const node = readSchema(schema.raw, {
    prefixes: [extension],
    mayHaveRules,
    structural: true,
  })
  const rules = yield* compileRulesInSteps(node, path, {
    extension,
    optionalOldSelf: gates.has(ratchetingGate),
    ratcheting: gates.has(ratchetingGate),
    stored,
    costChecked,
    notResource,
    ...(formsChecked && { formsChecked }),
  })
  const { findings: errors, totalFindings: totalErrors } = rules
  if (rules.isEmpty) return { errors, totalErrors }
  return { errors, totalErrors, check: (object, old) => rules.validateInSteps(object, old) }
}

/** Collects the nodes with rules, and their ancestors; true if this node is among them. CEL reads no other nodes. */
function collectNodesWithRules(schema: Schema, ruled: Set<JsonObject>): boolean {
  const { raw, validations, properties, items, additionalProperties: more } = schema
  let found = validations.length > 0
  for (const one of properties.values()) found = collectNodesWithRules(one, ruled) || found
  if (items !== undefined) found = collectNodesWithRules(items, ruled) || found
  if (typeof more === 'object') found = collectNodesWithRules(more, ruled) || found
  if (found) ruled.add(raw)
  return found
}
