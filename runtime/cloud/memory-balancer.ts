import type { Service } from '../../generated/apis/core/v1/service.ts'
import type { Stored } from '../kernel/meta/object.ts'
import type { MemoryBalancer } from './memory-contract.ts'

/** What a balancer is called at most. */
const longestName = 32

/** The balancer that a service asks for, at these addresses and in front of these nodes. */
export function balancerOf(
  { metadata, spec = {} }: Stored<Service>,
  cluster: string,
  addresses: readonly string[],
  nodes: readonly string[],
): MemoryBalancer {
  return {
    name: `a${metadata.uid.replaceAll('-', '')}`.slice(0, longestName),
    cluster,
    service: `${metadata.namespace}/${metadata.name}`,
    status: { ingress: addresses.map((ip) => ({ ip })) },
    ports: spec.ports ?? [],
    sourceRanges: spec.loadBalancerSourceRanges ?? [],
    nodes,
  }
}
