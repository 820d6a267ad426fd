/**
 * What is particular to one kind: the rules and printed cells that schema files name.
 *
 * A descriptor's `rules` name entries of `rules`; a column's `cell` is a path beginning with a dot, or names an entry of
 * `cells`. Everything here is a pure function of objects; the registry says when each hook runs. Rules are loaded for the
 * first write of a kind that names them: a server pays at its start for none that nobody uses.
 */
import type { Gates } from '../kernel/gates.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Platform } from '../kernel/platform.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'

/** What a rule may need to know beside the object. */
export interface RuleContext {
  readonly platform: Platform
  readonly now: number
  readonly gates: Gates
  /** The subresource that is written; absent for the object's own path. */
  readonly subresource?: string
  /** The schema finds the object wrong already, in a way that rules may stumble over. */
  readonly malformed?: boolean
}

/** The hooks of one named rule; each is optional. Objects go in read by the kind's reader and come out by spread. */
export interface Rule {
  /** Fills in what follows from other fields, on every write, after the schema's own defaults. */
  readonly defaults?: (object: ApiObject, context: RuleContext) => ApiObject
  /** Shapes a new object: system-owned fields such as the initial status. */
  readonly prepareCreate?: (object: ApiObject, context: RuleContext) => ApiObject
  /** Shapes an update: what a client may not change silently is taken from the old object. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject, context: RuleContext) => ApiObject
  /** Shapes what a write through a subresource leaves: the same for the path that `context.subresource` names. */
  readonly prepareSubresource?: (
    object: ApiObject,
    old: ApiObject,
    context: RuleContext,
  ) => ApiObject
  /** What the sender of an accepted object should know. */
  readonly warn?: (
    object: ApiObject,
    old: ApiObject | undefined,
    context: RuleContext,
  ) => readonly string[]
  /** Everything wrong that the schema cannot say; `old` is the stored object on an update. */
  readonly validate?: (
    object: ApiObject,
    old: ApiObject | undefined,
    context: RuleContext,
  ) => readonly Finding[]
  /** The same, where it may take long: others have their turns in between. */
  readonly examine?: (
    object: ApiObject,
    old: ApiObject | undefined,
    context: RuleContext,
  ) => Steps<readonly Finding[]>
}

/** A printed cell. */
export type Cell = string | number | boolean | null
export type CellFunction = (object: ApiObject, now: number) => Cell

export { type Action, actions } from './actions.ts'
export { type Allocation, allocationOf, type Holding, type Lease } from './allocations.ts'
export { type Answering, answeringOf, type Inquiry } from './answers.ts'
export { ableTree, behaviours, isAble } from './behaviours.ts'
export { cellOf } from './cells.ts'
export { advertiseProblems, endpointAddressProblems } from './endpoint-addresses.ts'
export {
  ambiguous,
  type Budget,
  budgetRoute,
  budgetsOf,
  disrupted,
  evicted,
  isFreeToGo,
} from './eviction.ts'
export { type Remains, withRemains } from './namespace-conditions.ts'
export {
  defaultServiceRanges,
  firstAddress,
  type Pools,
  rangeProblems,
  type ServiceRanges,
  servicePools,
} from './pools.ts'
export { type RowCondition, rowConditionsOf } from './row-conditions.ts'
export { loadRules, rulesOf } from './rules.ts'
export { conversions, fromStored, toStored } from './stored.ts'
