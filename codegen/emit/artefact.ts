import type { ImportDeclarationStructure, StatementStructures } from 'ts-morph'

/**
 * What an emitter returns: a module as ts-morph structures, or a text that is printed as it is (OpenAPI documents, the
 * bulk text of readers). Paths are relative to the output folder. Header, import merging and layout are `print`'s.
 */
export type Artefact = ModuleArtefact | TextArtefact

export interface ModuleArtefact {
  readonly is: 'module'
  readonly path: string
  /** Schema files the content comes from, relative to the schema root; printed in the header. */
  readonly from: readonly string[]
  readonly imports: readonly Omit<ImportDeclarationStructure, 'kind'>[]
  readonly statements: readonly (StatementStructures | string)[]
}

export interface TextArtefact {
  readonly is: 'text'
  readonly path: string
  readonly from: readonly string[]
  readonly text: string
}

/** Where generated modules find what they do not generate themselves. */
export interface Specifiers {
  /** True for a tree that keeps the path types of its documents: orch's own. */
  readonly pathTypes: boolean
  /**
   * The module specifier of a kernel file, given without extension: `kind` gives `../../runtime/kernel/descriptors/kind.ts` inside
   * orch, `orch/kernel/descriptors/kind` elsewhere.
   */
  kernel(file: string, from: string): string
  /** The specifier of the client: `../runtime/client/client.ts` inside orch, `orch` elsewhere. */
  client(from: string): string
  /** The specifier of another generated module of this tree, as a relative path. Both are paths with `.ts`. */
  local(to: string, from: string): string
}
