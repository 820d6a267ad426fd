/** What emitters return, and what they need to know of the output beside the model. */
import type { ImportDeclarationStructure, StatementStructures } from 'ts-morph'

/**
 * A file of the output: a module as ts-morph structures, or a text that is written as it is (OpenAPI documents,
 * readers, pages). Paths are relative to the output folder. Header, merging of imports and layout are the business of
 * `print/`.
 */
export type Artefact = ModuleArtefact | TextArtefact

/** A module that is still to be printed. */
export interface ModuleArtefact {
  readonly is: 'module'
  readonly path: string
  /** Schema files the content comes from, relative to the schema root; printed in the header. */
  readonly from: readonly string[]
  /** Unmerged: a specifier may stand here more than once, with one name each time. */
  readonly imports: readonly Omit<ImportDeclarationStructure, 'kind'>[]
  /** In the order in which they are printed; a text among them is printed as it is. */
  readonly statements: readonly (StatementStructures | string)[]
}

/** A file whose text the emitter made. */
export interface TextArtefact {
  readonly is: 'text'
  readonly path: string
  readonly from: readonly string[]
  readonly text: string
}

/** How generated modules name what they import. */
export interface Specifiers {
  /** True where the output has the types of paths (`openapi/paths/`). */
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
