import { compile, type Environment, type Program, types } from '../cel/cel.ts'

/** What an expression is for, which decides the type that it must evaluate to. */
export type ExpressionPurpose = 'condition' | 'validation' | 'message' | 'annotation' | 'variable'

/** A compiled expression, or the message of its compilation error. */
export type CompiledExpression =
  | { readonly program: Program; readonly problem?: undefined }
  | { readonly problem: string; readonly program?: undefined }

/** The types that an expression may have; a variable may have any. */
const resultTypes: Readonly<
  Record<ExpressionPurpose, readonly ('bool' | 'string' | 'null')[] | undefined>
> = {
  condition: ['bool'],
  validation: ['bool'],
  message: ['string'],
  annotation: ['string', 'null'],
  variable: undefined,
}

/**
 * Compiles an expression and checks its type. A dynamic type is an error where another one is
 * required. Never throws: the problem is told when the policy is validated, and once more when it
 * is evaluated, since a stored policy may have been accepted by another version of the server.
 */
export function compileExpression(
  source: string,
  purpose: ExpressionPurpose,
  environment: Environment,
): CompiledExpression {
  const compiled = compile(source, environment)
  const type = compiled.ok ? compiled.program.type : compiled.type
  if (type === undefined && !compiled.ok) return { problem: `compilation failed: ${compiled.text}` }
  const allowed = resultTypes[purpose]
  if (allowed === undefined || allowed.some((kind) => kind === type?.kind)) {
    if (compiled.ok) return { program: compiled.program }
    return { problem: `program instantiation failed: ${compiled.text}` }
  }
  const names = allowed.map((kind) => types.typeName({ kind }))
  const required = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`
  return { problem: `must evaluate to ${required}` }
}
