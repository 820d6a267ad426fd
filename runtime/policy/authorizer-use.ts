import type { CompiledExpression } from './compile-expression.ts'

/** True if one of the expressions checks rights, so that its evaluation may have to wait for answers. */
export function usesAuthorizer(expressions: readonly (CompiledExpression | undefined)[]): boolean {
  return expressions.some((one) => {
    const read = one?.program?.variables
    return read !== undefined && authorizerNames.some((name) => read.has(name))
  })
}

const authorizerNames = ['authorizer', 'authorizer.requestResource']
