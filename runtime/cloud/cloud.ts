/**
 * Clouds: what the controllers of load balancers, routes and nodes ask of the place where a cluster runs.
 *
 *  1. A provider answers for balancers, routes and machines; a part that it leaves out has no controller.
 *  2. What it throws may pass: it is asked again, later each time. What it is asked to do may be done already.
 *  3. One controller manager asks it at a time, and of one service or node by one call at a time.
 *
 * The only provider that comes with orch keeps everything in memory, for tests. Others are programs of their own.
 */
export { memoryCloud } from './memory-cloud.ts'
export type {
  CloudCall,
  CloudVerb,
  MachineState,
  MemoryBalancer,
  MemoryCloud,
  MemoryCloudOptions,
  MemoryCloudState,
} from './memory-contract.ts'
export { type NamedProvider, providerOf } from './named-provider.ts'
export type {
  CloudContext,
  CloudInstances,
  CloudProvider,
  CloudRoute,
  CloudRoutes,
  EnsuredBalancer,
  InstanceState,
  LoadBalancers,
} from './provider.ts'
