/**
 * The seam to the expression language: where the rules of a schema are compiled, once for each version of a definition, and
 * where they are evaluated, once for each write of an object. Everything else in this room knows no expressions.
 */
import { forbidden } from '../kernel/causes.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import type { Schema } from './schema.ts'

/** What the rules of an object find; `old` is absent for a new object. */
export type RuleCheck = (object: ApiObject, old: ApiObject | undefined) => readonly Finding[]

/** The rules of one version of a definition. */
export interface CompiledRules {
  /** What keeps them from being accepted: expressions that do not compile or cost too much. */
  readonly findings: readonly Finding[]
  /** Absent if there is nothing to evaluate. */
  readonly check?: RuleCheck
}

/** Compiles the rules of a schema; `place` is where the schema stands in the definition. */
export type CompileRules = (schema: Schema, place: string, extension: string) => CompiledRules

/** A server that evaluates no rules takes no definition that has any: they would only seem to hold. */
export const compileRules: CompileRules = (schema, place, extension) => ({
  findings: refusals(schema, place, `x-${extension}-validations`),
})

function refusals(schema: Schema, place: string, word: string): Finding[] {
  const { items, properties, additionalProperties: more, validations } = schema
  const found =
    validations.length === 0
      ? []
      : [forbidden(`${place}.${word}`, 'this server does not evaluate expression rules')]
  if (items) found.push(...refusals(items, `${place}.items`, word))
  for (const [name, one] of properties) {
    found.push(...refusals(one, `${place}.properties[${name}]`, word))
  }
  if (typeof more === 'object') {
    found.push(...refusals(more, `${place}.additionalProperties`, word))
  }
  return found
}
