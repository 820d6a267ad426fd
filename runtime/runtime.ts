/**
 * The public surface of orch for those who write operators. What is not named here is not promised; generated trees are
 * under `orch/generated`, the kit for tests is `orch/testing`.
 */
export {
  type ApplyConfiguration,
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
  type UpdateOptions,
  type WatchEvent,
  type WatchOptions,
  type Write,
  type WriteOptions,
} from './client/client.ts'
export {
  type CacheReader,
  createInformer,
  type Indexers,
  type Informer,
  type InformerOptions,
  objectKey,
  type ResourceEventHandler,
} from './informer/informer.ts'
export { type Clock, systemClock } from './kernel/async/clock.ts'
export { type AnyKind, defineKind, type Kind } from './kernel/descriptors/kind.ts'
export { mergeSchemes, type Scheme } from './kernel/descriptors/scheme.ts'
export {
  isStatus,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from './kernel/errors/status-error.ts'
export type { ApiObject, Stored } from './kernel/meta/object.ts'
export {
  collectProcessMetrics,
  createLogger,
  createMetrics,
  type Log,
  type LogFields,
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
