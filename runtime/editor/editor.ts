/**
 * What an editor asks about manifests and configuration files: what may be typed, what stands there, where it is declared, who refers to it,
 * what is wrong and how it is mended. `orch lsp` serves it.
 *
 *  1. Answers are functions of a text, a catalogue of schemas and the objects of a workspace. They never wait, read no file, and take less
 *     time than a person notices: a text is read by its outline, which exists for every text, however broken.
 *  2. Findings are those of `runtime/validate`, kept up to date: what changed is checked again, and what refers to it.
 *  3. What is renamed is renamed everywhere or not at all.
 */

export { complete, maxTextLength } from './completion/completion.ts'
export type { Completion, CompletionKind } from './completion/item.ts'
export { type QuickFix, quickFixes } from './fixes/fixes.ts'
export { type Hover, hoverAt } from './hover/hover.ts'
export {
  type LabelledText,
  type LabelRenaming,
  type LabelSubject,
  labelAt,
  labelRenaming,
} from './navigation/labels.ts'
export { type Renaming, renaming } from './navigation/rename.ts'
export { objectOf, referencesTo, type Subject, subjectAt } from './navigation/subject.ts'
export type { Catalogue, CatalogueKind, FlagFacts, GateFacts } from './schema/catalogue.ts'
export { type DefinitionDocument, definedSchema } from './schema/defined-kind.ts'
export { jsonSchema, type NamedSchema, type SchemaDialect } from './schema/json-schema.ts'
export {
  type FieldSchema,
  fieldOf,
  type SchemaPlace,
  schemaAt,
  type ValueSchema,
} from './schema/value-schema.ts'
export { symbolsOf, type TextSymbol } from './symbols/symbols.ts'
export { entryOf, nodeAt, type Spot, type Step, spotAt, textAt } from './text/cursor.ts'
export { endOf } from './text/ends.ts'
export { Lines } from './text/lines.ts'
export { type ObjectAt, objectAt } from './text/object-at.ts'
export { outlineOf } from './text/outline.ts'
export type { OutlineDocument, OutlineNode } from './text/outline-nodes.ts'
export { prunedTo } from './text/pruned.ts'
export { type EditorContext, outlinedFacts } from './workspace/names.ts'
