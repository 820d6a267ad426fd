/** What can be read and changed of the cloud in memory. */
import type { LoadBalancerStatus, ServicePort } from '../../generated/apis/core/v1/service.ts'
import type {
  CloudInstances,
  CloudProvider,
  CloudRoute,
  CloudRoutes,
  InstanceState,
  LoadBalancers,
} from './provider.ts'

/** A cloud that is a few maps. */
export interface MemoryCloud extends CloudProvider {
  readonly loadBalancers: LoadBalancers
  readonly routes: CloudRoutes
  readonly instances: CloudInstances
  /** What there is. A test may change it at any time, as an administrator of the cloud may. */
  readonly state: MemoryCloudState
}

/** What the cloud in memory has. */
export interface MemoryCloudState {
  /** Balancers by the uid of their service. */
  readonly balancers: Map<string, MemoryBalancer>
  /** Routes by their names. */
  readonly routes: Map<string, CloudRoute>
  /** Machines by the names of their nodes; one that is not named is running. */
  readonly instances: Map<string, MachineState>
}

/** A machine that does not run, or is no more. */
export type MachineState = Exclude<InstanceState, 'running'>

/** A balancer in memory. */
export interface MemoryBalancer {
  /** `a` and the uid of the service without hyphens, at most 32 characters. */
  readonly name: string
  readonly cluster: string
  /** `namespace/name`. */
  readonly service: string
  readonly status: LoadBalancerStatus
  readonly ports: readonly ServicePort[]
  /** Client networks that it lets in; empty for all. */
  readonly sourceRanges: readonly string[]
  /** Names of the nodes that it is in front of, in the order of the alphabet. */
  readonly nodes: readonly string[]
}

/** What a cloud may be asked. */
export type CloudVerb =
  | 'get balancer'
  | 'ensure balancer'
  | 'update balancer'
  | 'delete balancer'
  | 'list routes'
  | 'create route'
  | 'delete route'
  | 'get instance'

/** What a cloud is asked. */
export interface CloudCall {
  readonly verb: CloudVerb
  /** `namespace/name` of a service, the range of a route, the name of a node; empty for a list. */
  readonly of: string
}

/** How the cloud in memory answers. */
export interface MemoryCloudOptions {
  /** Called before each call is carried out. What it throws is the answer, and nothing is done; what it waits for takes as long. */
  readonly before?: (call: CloudCall) => void | Promise<void>
}
