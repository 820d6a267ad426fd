import type { Node } from '../../generated/apis/core/v1/node.ts'
import type { Stored } from '../kernel/meta/object.ts'
import { balancerAddresses } from './balancer-addresses.ts'
import { balancerOf } from './memory-balancer.ts'
import type {
  CloudVerb,
  MemoryBalancer,
  MemoryCloud,
  MemoryCloudOptions,
  MemoryCloudState,
} from './memory-contract.ts'
import type { CloudInstances, CloudRoutes, LoadBalancers } from './provider.ts'

/**
 * A cloud in memory: balancers get addresses of 198.18.0.0/15 and 2001:db8::/32, which lead nowhere, routes are kept with the addresses of
 * their nodes, and every machine runs.
 *
 * @example
 * const cloud = memoryCloud()
 * await using plane = await startControlPlane({ controllers: ['service-lb-controller'], cloud })
 * cloud.state.instances.set('node-1', 'off')
 */
export function memoryCloud({ before = () => {} }: MemoryCloudOptions = {}): MemoryCloud {
  const state: MemoryCloudState = {
    ...{ balancers: new Map(), routes: new Map(), instances: new Map() },
  }
  const asked = async (verb: CloudVerb, of: string): Promise<void> => before({ verb, of })
  return {
    name: 'memory',
    state,
    loadBalancers: balancersOf(state, asked),
    routes: routesOf(state, asked),
    instances: instancesOf(state, asked),
  }
}

type Asked = (verb: CloudVerb, of: string) => Promise<void>

function balancersOf({ balancers }: MemoryCloudState, asked: Asked): LoadBalancers {
  return {
    async get(service) {
      await asked('get balancer', nameOf(service))
      return balancers.get(service.metadata.uid)?.status
    },
    async ensure(service, nodes, { cluster }) {
      await asked('ensure balancer', nameOf(service))
      const { uid } = service.metadata
      const others = [...balancers].filter(([owner]) => owner !== uid).map(([, one]) => one)
      const addresses = balancerAddresses(service, balancers.get(uid), others)
      const balancer = balancerOf(service, cluster, addresses, namesOf(nodes))
      balancers.set(uid, balancer)
      return { is: 'ready', status: balancer.status }
    },
    async updateNodes(service, nodes) {
      await asked('update balancer', nameOf(service))
      const known = balancers.get(service.metadata.uid)
      if (known === undefined) throw new Error(`${nameOf(service)} has no balancer`)
      const updated: MemoryBalancer = { ...known, nodes: namesOf(nodes) }
      balancers.set(service.metadata.uid, updated)
      return 'updated'
    },
    async delete(service) {
      await asked('delete balancer', nameOf(service))
      balancers.delete(service.metadata.uid)
    },
  }
}

function routesOf({ routes }: MemoryCloudState, asked: Asked): CloudRoutes {
  return {
    async list() {
      await asked('list routes', '')
      return [...routes.values()]
    },
    async create(route, hint, { cluster }) {
      await asked('create route', route.range)
      const name = `${cluster}-${hint}-${route.range}`
      routes.set(name, { ...route, name })
    },
    async delete({ name, range }) {
      await asked('delete route', range)
      routes.delete(name)
    },
  }
}

function instancesOf({ instances }: MemoryCloudState, asked: Asked): CloudInstances {
  return {
    async stateOf({ metadata: { name } }) {
      await asked('get instance', name)
      return instances.get(name) ?? 'running'
    },
  }
}

function nameOf({ metadata }: { metadata: { namespace?: string; name: string } }): string {
  return `${metadata.namespace}/${metadata.name}`
}

function namesOf(nodes: readonly Stored<Node>[]): readonly string[] {
  return nodes.map(({ metadata }) => metadata.name).sort()
}
