/**
 * ts-morph's names for the sorts of structures, without its code: that brings a compiler along, and only the thread that
 * prints has to wait for it. The type checker holds the values to those of ts-morph.
 */
import type { StructureKind, VariableDeclarationKind } from 'ts-morph'

interface Structures {
  readonly function: StructureKind.Function
  readonly interface: StructureKind.Interface
  readonly property: StructureKind.PropertySignature
  readonly alias: StructureKind.TypeAlias
  readonly variable: StructureKind.VariableStatement
}

export const structure: Structures = {
  function: 13,
  interface: 19,
  property: 33,
  alias: 38,
  variable: 41,
}

export const constDeclaration = 'const' as VariableDeclarationKind.Const
