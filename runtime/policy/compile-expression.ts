import { compile, type Environment, type Program, types } from '../cel/cel.ts'

/** What an expression is for, which is what it has to give. */
export type ExpressionKind = 'condition' | 'validation' | 'message' | 'annotation' | 'variable'

/** A program, or what is wrong: the text that a client is shown. */
export type CompiledExpression =
  | { readonly program: Program; readonly problem?: undefined }
  | { readonly problem: string; readonly program?: undefined }

/** Compiles an expression. What is known only when it runs does not count as what it has to give. */
export function compileExpression(
  source: string,
  kind: ExpressionKind,
  environment: Environment,
): CompiledExpression {
  const compiled = compile(source, environment)
  if (!compiled.ok) return { problem: `compilation failed: ${compiled.text}` }
  const wanted = results[kind]
  const { program } = compiled
  if (wanted === undefined || wanted.some((one) => one === program.type.kind)) return { program }
  const names = wanted.map((one) => types.typeName({ kind: one }))
  const [only] = names
  return {
    problem: `must evaluate to ${names.length === 1 ? only : `one of [${names.join(' ')}]`}`,
  }
}

type ResultType = 'bool' | 'string' | 'null'

const results: Readonly<Record<ExpressionKind, readonly ResultType[] | undefined>> = {
  condition: ['bool'],
  validation: ['bool'],
  message: ['string'],
  annotation: ['string', 'null'],
  variable: undefined,
}
