/** What the small modules of a tree are made of: one exported constant each. */
import { StructureKind, VariableDeclarationKind, type VariableStatementStructure } from 'ts-morph'
import { literal } from './literal.ts'

/** `export const name: type = value`. */
export function constant(
  name: string,
  type: string,
  value: unknown,
  doc: string,
): VariableStatementStructure {
  return {
    kind: StructureKind.VariableStatement,
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: [doc],
    declarations: [{ name, type, initializer: literal(value) }],
  }
}
