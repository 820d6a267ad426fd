/**
 * Kinds that are defined at run time.
 *
 * A definition (CustomResourceDefinition) is checked when it is written, and each of its versions becomes a kind descriptor
 * like a generated one: the same codec, store, watch, apply and serve rooms carry it, and none of them knows the difference.
 *
 *  1. What is wrong with a definition is told with its place, all of it at once (`definitionFindings`).
 *  2. A schema is compiled once; a reader prunes, fills in defaults, orders and validates in one pass (`kindsOf`).
 *     Nothing of a definition is ever evaluated as code; its patterns match in linear time.
 *  3. Names belong to whom they were given first (`namingOf`); what follows for the status is `settledStatus`.
 *  4. A tree with more kinds is another tree (`liveTree`): nobody sees half of a change.
 *  5. Rules in the expression language are compiled and evaluated behind one seam, `rules.ts`.
 */

export type { ConversionClient } from './conversion/conversion.ts'
export {
  type Definition,
  type DefinitionNames,
  type DefinitionVersion,
  isConditionTrue,
} from './definition/definition.ts'
export { withDefaultNames } from './definition/names.ts'
export { NamesInUse } from './definition/names-in-use.ts'
export { acceptNames, statusWithNames } from './definition/status.ts'
export { validateDefinition } from './definition/validate-definition.ts'
export { jsonPathCell } from './kind/json-path-cell.ts'
export {
  type CreateKinds,
  type CustomKind,
  compileKinds,
  type KindEnvironment,
} from './kind/kind.ts'
export { ExtensibleScheme, kindEnvironmentOf } from './scheme.ts'
