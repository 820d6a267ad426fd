/** What the small modules of a tree are made of: one exported constant each. */
import type { VariableStatementStructure } from 'ts-morph'
import { literal } from './literal.ts'
import { constDeclaration, structure } from './structures.ts'

/**
 * `export const name: type = value`.
 * The value is data, laid out by `literal`; where it has to mention a name, it holds a `Code`.
 *
 *   export const options: OptionTable = {
 */
export function constant(
  name: string,
  type: string,
  value: unknown,
  doc: string,
): VariableStatementStructure {
  return {
    kind: structure.variable,
    isExported: true,
    declarationKind: constDeclaration,
    docs: [doc],
    declarations: [{ name, type, initializer: literal(value) }],
  }
}
