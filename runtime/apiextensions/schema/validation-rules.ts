/**
 * The seam to the expression language: where the rules of a schema are compiled, once for each version of a definition, and
 * where they are evaluated, once for each write of an object. Everything else in this room knows no expressions.
 */
import { compileRulesInSteps, readSchema } from '../../cel/cel.ts'
import type { Steps } from '../../kernel/async/slices.ts'
import { type EnabledGates, ratchetingGate } from '../../kernel/descriptors/enabled-gates.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { Schema } from './schema.ts'

/** What the rules of an object find; `old` is absent for a new object. */
export type RuleCheck = (
  object: ApiObject,
  old: ApiObject | undefined,
) => Steps<readonly FieldError[]>

/** The rules of one version of a definition. */
export interface CompiledRules {
  /** What keeps them from being accepted: expressions that do not compile or cost too much (supplement C-13 to C-15). */
  readonly findings: readonly FieldError[]
  /** Absent if there is nothing to evaluate. */
  readonly check?: RuleCheck
}

/** What rules are compiled with. */
export interface RuleOptions {
  /** Prefix of extension keys. */
  readonly extension: string
  readonly gates: EnabledGates
  /** Their costs were estimated when the definition was written. */
  readonly priced?: boolean
}

/** Compiles the rules of a schema; `place` is where the schema stands in the definition. */
export function* compileRules(
  schema: Schema,
  place: string,
  { extension, gates, priced = false }: RuleOptions,
): Steps<CompiledRules> {
  const ruled = new Set<JsonObject>()
  if (!collectNodesWithRules(schema, ruled)) return { findings: [] }
  const mayHaveRules = (raw: JsonObject): boolean => ruled.has(raw)
  const node = readSchema(schema.raw, { prefixes: [extension], mayHaveRules })
  const rules = yield* compileRulesInSteps(node, place, {
    extension,
    optionalOldSelf: gates.has(ratchetingGate),
    ratcheting: gates.has(ratchetingGate),
    costChecked: priced,
  })
  const { findings, isEmpty: empty } = rules
  if (empty) return { findings }
  return { findings, check: (object, old) => rules.validateInSteps(object, old) }
}

/** Collects the nodes that have rules, or nodes with rules below them; true if this one is one of them. */
function collectNodesWithRules(schema: Schema, ruled: Set<JsonObject>): boolean {
  const { raw, validations, properties, items, additionalProperties: more } = schema
  let found = validations.length > 0
  for (const one of properties.values()) found = collectNodesWithRules(one, ruled) || found
  if (items !== undefined) found = collectNodesWithRules(items, ruled) || found
  if (typeof more === 'object') found = collectNodesWithRules(more, ruled) || found
  if (found) ruled.add(raw)
  return found
}
