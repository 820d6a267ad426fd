/**
 * What is particular to one kind: strategies, which default, shape and validate its objects, and the cells of its columns.
 * A descriptor names strategies and cells; each strategy is loaded for the first write of a kind that names it.
 */
export {
  defaultServiceRanges,
  firstAddress,
  rangeProblems,
  type ServiceRanges,
  servicePools,
  unknownServicePools,
} from './core/service/pools.ts'
export type { Cell, CellFunction } from './printers/cell.ts'
export { cellOf } from './printers/cells.ts'
export { type RowCondition, rowConditionsOf } from './printers/row-conditions.ts'
export { isSystemPriorityClass } from './scheduling/priority-class.ts'
export type { Action } from './strategy/action.ts'
export type { AllocatedValue, AllocationStrategy, Allocator, Pools } from './strategy/allocator.ts'
export type { StrategyContext } from './strategy/context.ts'
export type { Strategy } from './strategy/strategy.ts'
export type { WriteAccess } from './strategy/write-access.ts'
export { actions } from './tables/actions.ts'
export { allocationStrategyOf } from './tables/allocation-strategies.ts'
export { conversions, fromStorageVersion, toStorageVersion } from './tables/conversions.ts'
export { loadStrategies, strategiesOf } from './tables/strategies.ts'
