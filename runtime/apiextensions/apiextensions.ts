/**
 * Kinds that are defined at run time.
 *
 * A CustomResourceDefinition is validated when it is written, and each of its versions becomes a kind descriptor like a generated
 * one: serializer, store, watch, apply and server treat it the same.
 *
 *  1. The validation of a definition reports every error with its path (`validateDefinition`).
 *  2. A schema is compiled once; its reader prunes, sets defaults, sorts and validates in one pass (`compileKinds`).
 *     Nothing of a definition is evaluated as JavaScript, and patterns match in linear time.
 *  3. A name belongs to the definition that had it first (`acceptNames`); the status follows from that (`statusWithNames`).
 *  4. A scheme with more kinds is another scheme (`ExtensibleScheme`): a request sees all of a change or nothing.
 *  5. Validation rules are compiled and evaluated in `schema/validation-rules.ts` only.
 */
export type { ConversionClient } from './conversion/conversion.ts'
export {
  type Definition,
  type DefinitionNames,
  type DefinitionVersion,
  isConditionTrue,
} from './definition/definition.ts'
export { withDefaultNames } from './definition/names.ts'
export { NamesInUse, type TakenNames } from './definition/names-in-use.ts'
export { acceptNames, statusWithNames } from './definition/status.ts'
export { validateDefinition } from './definition/validate-definition.ts'
export {
  type CreateKinds,
  type CustomKind,
  compileKinds,
  type KindEnvironment,
} from './kind/kind.ts'
export { ExtensibleScheme, kindEnvironmentOf } from './scheme.ts'
