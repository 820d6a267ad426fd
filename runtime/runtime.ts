/**
 * The public surface of orch for those who write operators. What is not named here is not promised; generated trees are
 * under `orch/generated`, the kit for tests is `orch/testing`.
 */
export {
  type ApplyOptions,
  type Client,
  type ClientOptions,
  type ConnectionConfig,
  connect,
  createClient,
  type Deleted,
  type DeleteOptions,
  type Draft,
  httpTransport,
  type Intent,
  type JsonPatch,
  type JsonPatchOperation,
  type Key,
  type List,
  type ListOptions,
  loadConfig,
  type MergePatch,
  type PartOf,
  type PatchOptions,
  type Resource,
  type Scope,
  type Selection,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
  type WatchOptions,
  type Write,
  type WriteOptions,
} from './client/client.ts'
export {
  type CacheReader,
  createInformer,
  type Handler,
  type Indexers,
  type Informer,
  type InformerOptions,
  keyOf,
} from './informer/informer.ts'
export { type AnyKind, defineKind, type Kind } from './kernel/kind.ts'
export type { ApiObject, Stored } from './kernel/object.ts'
export {
  isStatus,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from './kernel/status.ts'
export { type Clock, systemClock } from './kernel/time.ts'
export { mergeTrees, type Tree } from './kernel/tree.ts'
export {
  collectProcess,
  createLogger,
  createMetrics,
  type Facts,
  type Log,
  type LoggerOptions,
  type LogLevel,
  type Metrics,
  type MetricsOptions,
  silentLog,
} from './observe/observe.ts'
export {
  again,
  type Cleanup,
  type Context,
  type Controller,
  type ControllerStats,
  conditionOf,
  controllerOf,
  createManager,
  createQueue,
  defineController,
  done,
  failed,
  type Manager,
  type ManagerOptions,
  type Outcome,
  ownedBy,
  type Queue,
  type QueueOptions,
  type StatusOf,
  setCondition,
  terminal,
  type Watch,
  watching,
} from './reconcile/reconcile.ts'
