/**
 * What is particular to one kind: the rules and printed cells that schema files name.
 *
 * A descriptor's `rules` name entries of `rules`; a column's `cell` is a path beginning with a dot, or names an entry of
 * `cells`. Everything here is a pure function of objects; the registry says when each hook runs. Rules are loaded for the
 * first write of a kind that names them: a server pays at its start for none that nobody uses.
 */

import type { Steps } from '../kernel/async/slices.ts'
import type { EnabledGates } from '../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { FieldError } from '../kernel/validation/field-error.ts'

/** What a rule may need to know beside the object. */
export interface StrategyContext {
  readonly platform: Platform
  readonly now: number
  readonly gates: EnabledGates
  /** The subresource that is written; absent for the object's own path. */
  readonly subresource?: string
  /** The schema finds the object wrong already, in a way that rules may stumble over. */
  readonly malformed?: boolean
}

/** The hooks of one named rule; each is optional. Objects go in read by the kind's reader and come out by spread. */
export interface Strategy {
  /** Fills in what follows from other fields, on every write, after the schema's own defaults. */
  readonly defaults?: (object: ApiObject, context: StrategyContext) => ApiObject
  /** Shapes a new object: system-owned fields such as the initial status. */
  readonly prepareCreate?: (object: ApiObject, context: StrategyContext) => ApiObject
  /** Shapes an update: what a client may not change silently is taken from the old object. */
  readonly prepareUpdate?: (
    object: ApiObject,
    old: ApiObject,
    context: StrategyContext,
  ) => ApiObject
  /** Shapes what a write through a subresource leaves: the same for the path that `context.subresource` names. */
  readonly prepareSubresource?: (
    object: ApiObject,
    old: ApiObject,
    context: StrategyContext,
  ) => ApiObject
  /** What the sender of an accepted object should know. */
  readonly warn?: (
    object: ApiObject,
    old: ApiObject | undefined,
    context: StrategyContext,
  ) => readonly string[]
  /** Everything wrong that the schema cannot say; `old` is the stored object on an update. */
  readonly validate?: (
    object: ApiObject,
    old: ApiObject | undefined,
    context: StrategyContext,
  ) => readonly FieldError[]
  /** The same, where it may take long: others have their turns in between. */
  readonly validateInSteps?: (
    object: ApiObject,
    old: ApiObject | undefined,
    context: StrategyContext,
  ) => Steps<readonly FieldError[]>
}

/** A printed cell. */
export type Cell = string | number | boolean | null
export type CellFunction = (object: ApiObject, now: number) => Cell

export {
  type RemainingContent,
  withDeletionConditions,
} from './core/namespace/namespace-conditions.ts'
export {
  defaultServiceRanges,
  firstAddress,
  type Pools,
  rangeProblems,
  type ServiceRanges,
  servicePools,
} from './core/service/pools.ts'
export {
  afterEviction,
  budgetRoute,
  canIgnoreBudgets,
  type DisruptionBudget,
  matchingBudgets,
  multipleBudgetsError,
  withDisruptionTarget,
} from './policy/eviction.ts'
export { cellOf } from './printers/cells.ts'
export { type RowCondition, rowConditionsOf } from './printers/row-conditions.ts'
export { type Action, actions } from './strategy/actions.ts'
export {
  type AllocatedValue,
  type AllocationStrategy,
  type Allocator,
  allocationStrategyOf,
} from './strategy/allocations.ts'
export { capabilities, isServable, servableScheme } from './strategy/capabilities.ts'
export { conversions, fromStorageVersion, toStorageVersion } from './strategy/conversions.ts'
export { type ReviewContext, type Reviewer, reviewerOf } from './strategy/reviewers.ts'
export { loadStrategies, strategiesOf } from './strategy/strategies.ts'
export { advertiseProblems, endpointAddressProblems } from './types/endpoint-addresses.ts'
