import type { CompiledExpression } from './compile-expression.ts'

const authorizerVariables = ['authorizer', 'authorizer.requestResource']

/**
 * True if one of the expressions reads an authorizer variable, so that its evaluation may wait for
 * the authorizer. Expressions that did not compile read nothing and do not count. Policies without
 * one are evaluated once and without a promise for each decision.
 */
export function usesAuthorizer(expressions: readonly (CompiledExpression | undefined)[]): boolean {
  return expressions.some((expression) => {
    const variables = expression?.program?.variables
    return variables !== undefined && authorizerVariables.some((name) => variables.has(name))
  })
}
