/** What a cloud does for a cluster. */
import type { Node, NodeAddress } from '../../generated/apis/core/v1/node.ts'
import type { LoadBalancerStatus, Service } from '../../generated/apis/core/v1/service.ts'
import type { Stored } from '../kernel/meta/object.ts'

/** A place where clusters run. What it does not do is left out: the controller of that does not run. */
export interface CloudProvider {
  /** The word that `--cloud-provider` has for it. */
  readonly name: string
  readonly loadBalancers?: LoadBalancers
  readonly routes?: CloudRoutes
  readonly instances?: CloudInstances
}

/** For whom something is done. */
export interface CloudContext {
  /** The cluster, as `--cluster-name` calls it: several may share a cloud. */
  readonly cluster: string
  /** Aborts when the answer is not waited for any more. */
  readonly signal: AbortSignal
}

/** Balancers in front of services of type LoadBalancer. Each belongs to the service of one uid. */
export interface LoadBalancers {
  /** Where the balancer of a service answers; undefined if it has none. */
  get(service: Stored<Service>, context: CloudContext): Promise<LoadBalancerStatus | undefined>
  /** Makes the balancer of a service, or makes it what the service asks for now, in front of these nodes. */
  ensure(
    service: Stored<Service>,
    nodes: readonly Stored<Node>[],
    context: CloudContext,
  ): Promise<EnsuredBalancer>
  /** Puts the balancer of a service in front of these nodes. `elsewhere`: that is the business of another program. */
  updateNodes(
    service: Stored<Service>,
    nodes: readonly Stored<Node>[],
    context: CloudContext,
  ): Promise<'updated' | 'elsewhere'>
  /** Resolves when nothing is left of the balancer of a service, if there was anything. */
  delete(service: Stored<Service>, context: CloudContext): Promise<void>
}

/** How far a balancer is. */
export type EnsuredBalancer =
  | { readonly is: 'ready'; readonly status: LoadBalancerStatus }
  /** It is being made: look again in `ms` milliseconds. */
  | { readonly is: 'pending'; readonly ms: number; readonly why: string }
  /** It is the business of another program, which also says where it answers. */
  | { readonly is: 'elsewhere' }

/** Where traffic for the pods of a node goes. */
export interface CloudRoute {
  /** What the cloud calls it. */
  readonly name: string
  /** The name of the node; undefined for a route that leads to none that is known. */
  readonly node: string | undefined
  /** Addresses of pods in CIDR form. */
  readonly range: string
  /** Addresses of the node when the route was made; undefined where routes do not depend on them. */
  readonly addresses?: readonly NodeAddress[]
  /** True for a route that leads nowhere any more. */
  readonly blackhole?: boolean
}

/** Routes to the pods of nodes. */
export interface CloudRoutes {
  /** The routes of the cluster. */
  list(context: CloudContext): Promise<readonly CloudRoute[]>
  /** Makes a route; `hint` may become a part of its name. */
  create(route: Omit<CloudRoute, 'name'>, hint: string, context: CloudContext): Promise<void>
  /** Removes a route that was listed. */
  delete(route: CloudRoute, context: CloudContext): Promise<void>
}

/** `off`: it is there and does not run. */
export type InstanceState = 'running' | 'off' | 'gone'

/** The machines of nodes. */
export interface CloudInstances {
  /** What became of the machine of a node. The node is deleted if it is `gone`. */
  stateOf(node: Stored<Node>, context: CloudContext): Promise<InstanceState>
}
