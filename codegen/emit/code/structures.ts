/**
 * ts-morph's numbers for the sorts of structures, without importing it: that loads a compiler, and only the thread that
 * prints needs one. The type checker compares the values with ts-morph's.
 */
import type { StructureKind, VariableDeclarationKind } from 'ts-morph'

interface Structures {
  readonly function: StructureKind.Function
  readonly interface: StructureKind.Interface
  readonly property: StructureKind.PropertySignature
  readonly alias: StructureKind.TypeAlias
  readonly variable: StructureKind.VariableStatement
}

/** The kinds of structures that emitters return. */
export const structure: Structures = {
  function: 13,
  interface: 19,
  property: 33,
  alias: 38,
  variable: 41,
}

/** ts-morph's `VariableDeclarationKind.Const`. */
export const constDeclaration = 'const' as VariableDeclarationKind.Const
