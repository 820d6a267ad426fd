/** Expressions compiled and evaluated as the API server does, with dynamic variables. */
import {
  compile,
  createEnvironment,
  type Evaluation,
  type Program,
  withVariables,
} from '../../runtime/cel/cel.ts'
import { apiLibraries } from '../../runtime/cel/library/api-libraries.ts'
import {
  authorizerType,
  authorizerValue,
  type CelAuthorizer,
} from '../../runtime/cel/library/authorizer.ts'
import { dynType, type Type } from '../../runtime/cel/types/types.ts'
import type { Value } from '../../runtime/cel/values/values.ts'

const base = createEnvironment({ libraries: apiLibraries })

/** Allows everything but the verb `refused`. */
export const someUser: CelAuthorizer = {
  authorize: ({ verb }) => ({ allowed: verb !== 'refused', reason: `asked for ${verb}` }),
  serviceAccount: () => someUser,
}

/** The program, or the text of what is wrong with the expression. */
export function programOf(source: string, bindings: Readonly<Record<string, unknown>> = {}) {
  const declared = Object.keys(bindings).map((name) => ({ name, type: dynType as Type }))
  const authorizer = {
    name: 'authorizer',
    type: authorizerType,
    read: (raw: unknown) => raw as Value,
  }
  return compile(source, withVariables(base, [authorizer, ...declared]))
}

function run(program: Program, bindings: Readonly<Record<string, unknown>>): Evaluation {
  return program.evaluate({ authorizer: authorizerValue(someUser), ...bindings })
}

/** The value, the error, or what the compiler says. */
export function outcomeOf(
  source: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Value | { readonly error: string } | { readonly issue: string } {
  const compiled = programOf(source, bindings)
  if (!compiled.ok) return { issue: compiled.text }
  const outcome = run(compiled.program, bindings)
  if (outcome.is === 'value') return outcome.value
  return { error: outcome.is === 'error' ? outcome.error.message : outcome.by }
}

/** What an expression costs when it runs, and its worst case. */
export function costOf(source: string) {
  const compiled = programOf(source)
  if (!compiled.ok) throw new Error(compiled.text)
  const outcome = run(compiled.program, {})
  const stopped = outcome.is === 'stopped' ? outcome.by : undefined
  return { cost: outcome.cost, stopped, estimate: compiled.program.estimate }
}
