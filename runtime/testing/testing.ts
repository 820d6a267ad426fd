/**
 * The testing kit: the real API server in the test's own process, over objects in memory.
 *
 *  1. It is the production server: the same readers, defaults, validation, watches and deletions, nothing faked.
 *  2. Two of them in one process share nothing; `fork` gives a second one with the same content in milliseconds.
 *  3. After `stop` nothing is left open: no socket, timer or database.
 *  4. Without `socket` requests are handed over in process; the answers are the same, byte for byte.
 *
 *     await using plane = await startControlPlane({ schemes: [scheme] })
 *     await plane.client.resource(websites).create({ ... })
 */
export type { Middleware } from '../apiserver/apiserver.ts'
export {
  type CloudCall,
  type CloudContext,
  type CloudInstances,
  type CloudProvider,
  type CloudRoute,
  type CloudRoutes,
  type CloudVerb,
  type EnsuredBalancer,
  type InstanceState,
  type LoadBalancers,
  type MachineState,
  type MemoryBalancer,
  type MemoryCloud,
  type MemoryCloudOptions,
  type MemoryCloudState,
  memoryCloud,
} from '../cloud/cloud.ts'
export type {
  Delay,
  PodBehaviour,
  PodChange,
  PodStage,
  SimulatedNodes,
  SimulatedNodesOptions,
  StageContext,
} from '../simulated-nodes/simulated-nodes.ts'
export type { ActingUser } from './acting-user.ts'
export {
  type ControlPlane,
  type ControlPlaneOptions,
  type ControlPlaneSnapshot,
  type ForkOptions,
  startControlPlane,
} from './control-plane.ts'
export { type ExploreOptions, explore, type World } from './explore.ts'
export type { Fault, FaultCode, FaultRule } from './fault.ts'
export {
  type FaultOptions,
  type FaultyTransport,
  type InjectedFault,
  injectFaults,
} from './faults.ts'
export type { FieldChange } from './field-changes.ts'
export {
  assertSameObject,
  objectDifferences,
  objectMatchers,
  objectSerializer,
} from './matchers.ts'
export { type PlanOptions, plan } from './plan.ts'
export type { Plan, PlannedChange } from './planned-changes.ts'
export type { ClientVerb, RequestFacts } from './request-facts.ts'
export { withoutServerFields } from './server-fields.ts'
export { type VirtualClock, virtualClock } from './virtual-clock.ts'
