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
export { namingOf, settledStatus } from './conditions.ts'
export type { Asking } from './conversion.ts'
export {
  type Definition,
  holds,
  type Names,
  type Version,
} from './definition.ts'
export { definitionFindings } from './definition-checks.ts'
export { kindsOf, type MadeKind, type MakeKinds, type Surroundings } from './kind.ts'
export { liveTree, surroundingsOf } from './live-tree.ts'
export { wholeNames } from './names.ts'
export { NamesInUse } from './names-in-use.ts'
