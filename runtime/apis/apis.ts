/**
 * What is particular to one kind: strategies, which default, shape and validate its objects, and the cells of its columns.
 * A descriptor names strategies and cells; each strategy is loaded for the first write of a kind that names it.
 */
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
export type { Cell, CellFunction } from './printers/cell.ts'
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
export type { StrategyContext } from './strategy/context.ts'
export { conversions, fromStorageVersion, toStorageVersion } from './strategy/conversions.ts'
export { type ReviewContext, type Reviewer, reviewerOf } from './strategy/reviewers.ts'
export { loadStrategies, strategiesOf } from './strategy/strategies.ts'
export type { Strategy } from './strategy/strategy.ts'
export { advertiseProblems, endpointAddressProblems } from './types/endpoint-addresses.ts'
