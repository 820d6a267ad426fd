import { addressAt } from '../../kernel/values/ip-ranges.ts'
import { NodeAddresses } from './node-addresses.ts'

/** One simulated node. */
export interface SimulatedNode {
  readonly name: string
  /** Its place among the nodes, from 0. */
  readonly index: number
  /** Its own address. */
  readonly address: string
  /** Addresses for its pods. */
  readonly pods: NodeAddresses
  /** False while it is stopped: it says nothing, and does nothing with its pods. */
  running: boolean
}

/** Addresses of nodes, and of pods on nodes that were given no range. */
const nodeRange = { family: 4, first: 0xac_12_00_02n, bits: 16 } as const
const podRange = { family: 4, first: 0x0a_80_00_00n, bits: 9 } as const
const podsOfNode = 256

/** So many nodes, with names that begin alike. */
export function makeFleet(count: number, prefix: string): ReadonlyMap<string, SimulatedNode> {
  const nodes = Array.from({ length: count }, (_, index) => ({
    ...{ name: `${prefix}${index}`, index, running: true },
    address: addressAt(nodeRange, index),
    pods: new NodeAddresses(`${addressAt(podRange, index * podsOfNode)}/24`),
  }))
  return new Map(nodes.map((node) => [node.name, node]))
}

/** The most nodes that there are addresses for. */
export const mostNodes = 2 ** (32 - podRange.bits) / podsOfNode
