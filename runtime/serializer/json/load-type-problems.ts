import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { TypeHints } from './type-hints.ts'

/** Why a value cannot become the struct of a kind; undefined if it can. */
type TypeProblem = (
  types: FieldTypes,
  struct: string,
  value: Json,
  hints?: TypeHints,
) => string | undefined

/** The problems of a body that is decoded from its text, and of one that a strategic merge patch made. */
export interface TypeProblems {
  readonly decoded: TypeProblem
  readonly converted: TypeProblem
}

/** What words the refusal of a body, imported on first use: most bodies are not refused. */
export async function loadTypeProblems(): Promise<TypeProblems> {
  const [{ typeProblem }, { conversionProblem }] = await Promise.all([
    import('./type-problem.ts'),
    import('./conversion-problem.ts'),
  ])
  return { decoded: typeProblem, converted: conversionProblem }
}
