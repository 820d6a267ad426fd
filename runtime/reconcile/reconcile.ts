/**
 * Reconcile: loops that bring the world to what objects say.
 *
 *  1. A controller is told which object to look at, never what happened to it. One object is reconciled by one worker
 *     at a time; changes that arrive meanwhile make one further run.
 *  2. A run ends in one of four outcomes. A failed one is always run again, later each time; a terminal one waits for
 *     the object to change. There is no way to lose work.
 *  3. A run sees what its controller wrote: the caches show it at once, and a run begins when they show what its predecessor wrote.
 *  4. A finalizer is removed only after its cleanup said `done`.
 *  5. On shutdown no new run begins, and those under way may finish.
 */

export { controllerOf } from '../kernel/meta/controller-of.ts'
export type { Change } from './changes/cause.ts'
export { type ChangedValue, changedValues } from './changes/changed-fields.ts'
export type { FieldPath } from './changes/field-paths.ts'
export { type Access, type AccessRule, accessRules } from './controller/access-rules.ts'
export {
  type Cluster,
  type ClusterKey,
  type Clusters,
  createClusters,
} from './controller/cluster.ts'
export {
  type AnyController,
  type Cleanup,
  type Context,
  type Controller,
  defineController,
} from './controller/controller.ts'
export { controllerGraph } from './controller/controller-graph.ts'
export type { EnsureOptions, StatusOf } from './controller/declared-types.ts'
export type { WriteBy } from './controller/declared-writes.ts'
export { type EventSource, type EventSourceContext, every } from './controller/event-source.ts'
export type {
  ControllerGraph,
  GraphController,
  GraphFinding,
  GraphKind,
  Wake,
} from './controller/graph-contract.ts'
export {
  type ClusterView,
  type ControllerQueue,
  type Indexes,
  type KeyContext,
  type KeyController,
  type KeysOf,
  type Lookup,
  type WakeScope,
  type Watch,
  type WatchScope,
  watching,
} from './controller/key-controller.ts'
export { again, done, failed, type Outcome, terminal } from './controller/outcome.ts'
export { type Owned, owning } from './controller/owned.ts'
export { type Writing, type Written, writing } from './controller/writing.ts'
export { createManager } from './manager.ts'
export {
  type Dependent,
  type DependentsReport,
  dependent,
  ensureDependents,
} from './objects/dependents.ts'
export { ownedBy } from './objects/owner-references.ts'
export { type Readiness, readinessOf, type UnhealthyCondition } from './objects/readiness.ts'
export { conditionOf, setCondition } from './objects/status-conditions.ts'
export { createQueue, type Queue, type QueueOptions } from './queue/queue.ts'
export type { QueuePriority } from './queue/ready-keys.ts'
export type { ControllerStats } from './running/controller-stats.ts'
export type { KeyReport, RunReport } from './running/key-journal.ts'
export type { ShardBy, ShardingSettings } from './running/key-shards.ts'
export type {
  ClusterManagerOptions,
  ClusterReport,
  Manager,
  ManagerOptions,
  ManagerReport,
  RunSettings,
} from './running/manager-contract.ts'
export type { ControllerReport } from './running/runner.ts'
export type { LeaderElectionSettings, LeaseReport } from './running/turns.ts'
