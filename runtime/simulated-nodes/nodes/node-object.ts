/** What an agent of a node says of itself: the node, its conditions, its lease. */

import type { Lease } from '../../../generated/apis/coordination/v1.ts'
import type { Node, NodeCondition, NodeSystemInfo } from '../../../generated/apis/core/v1/node.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import type { Draft, NamedDraft } from '../../client/client.ts'
import { microTimestamp, timestamp } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { apiVersionOf, type Stored } from '../../kernel/meta/object.ts'
import { capitalized } from '../../kernel/values/capitalized.ts'
import type { SimulatedNode } from './fleet.ts'

/** What all simulated nodes have in common. */
export interface NodeFacts {
  /** What each has, and gives to pods. */
  readonly capacity: Readonly<Record<string, string>>
  /** Labels of the node with that place, beside those that every node has. */
  readonly labels: (index: number) => Readonly<Record<string, string>>
  readonly platform: Platform
  /** Whether each takes the taint away that keeps pods from a new node. */
  readonly removesTaint: boolean
}

/** Seconds for which a lease says that a node is there. */
const leaseSeconds = 40

/** A node as its agent registers it. */
export function nodeObject(
  { name, index, address }: SimulatedNode,
  { capacity, labels, platform }: NodeFacts,
  now: number,
): NamedDraft<Node> {
  const { agent, domain, prefix, release, brand } = platform
  return {
    metadata: {
      name,
      labels: {
        ...labels(index),
        [`beta.${domain}/arch`]: 'amd64',
        [`beta.${domain}/os`]: 'linux',
        [`${domain}/arch`]: 'amd64',
        [`${domain}/hostname`]: name,
        [`${domain}/os`]: 'linux',
      },
    },
    spec: {},
    status: {
      ...{ capacity, allocatable: capacity },
      conditions: nodeConditions(undefined, platform, now),
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { [`${agent}Endpoint`]: { Port: 10_250 } },
      nodeInfo: {
        ...{ machineID: name, systemUUID: name, bootID: name, kernelVersion: '6.1.0' },
        osImage: `${brand} simulated node`,
        containerRuntimeVersion: `simulated://${release}`,
        [`${agent}Version`]: `v${release}`,
        [`${prefix}ProxyVersion`]: `v${release}`,
        ...{ operatingSystem: 'linux', architecture: 'amd64' },
      } as unknown as NodeSystemInfo,
    },
  }
}

/** The conditions of a node that has everything; what is as it was keeps its time. Those of others stay. */
export function nodeConditions(
  node: Stored<Node> | undefined,
  { agent }: Platform,
  now: number,
): readonly NodeCondition[] {
  const known = node?.status?.conditions ?? []
  const own = healthy(agent)
  const others = known.filter(({ type }) => !own.some((one) => one.type === type))
  const written = own.map((one) => {
    const before = known.find(({ type }) => type === one.type)
    const kept = before?.status === one.status ? before.lastTransitionTime : undefined
    const lastHeartbeatTime = timestamp(now)
    return { ...one, lastHeartbeatTime, lastTransitionTime: kept ?? lastHeartbeatTime }
  })
  return [...others, ...written]
}

/** True for a node of which others say what its agent does not. */
export function isDenied(node: Stored<Node>, { agent }: Platform): boolean {
  const known = node.status?.conditions ?? []
  return healthy(agent).some(
    ({ type, status }) => known.find((one) => one.type === type)?.status !== status,
  )
}

function healthy(agent: string) {
  const reason = capitalized(agent)
  return [
    {
      ...{ type: 'MemoryPressure', status: 'False', reason: `${reason}HasSufficientMemory` },
      message: `${agent} has sufficient memory available`,
    },
    {
      ...{ type: 'DiskPressure', status: 'False', reason: `${reason}HasNoDiskPressure` },
      message: `${agent} has no disk pressure`,
    },
    {
      ...{ type: 'PIDPressure', status: 'False', reason: `${reason}HasSufficientPID` },
      message: `${agent} has sufficient PID available`,
    },
    {
      ...{ type: 'Ready', status: 'True', reason: `${reason}Ready` },
      message: `${agent} is posting ready status`,
    },
  ] as const
}

/** The lease by which the agent of a node says that it is there. */
export function leaseOf(node: Stored<Node>, now: number): Draft<Lease> & NamedDraft<Lease> {
  const { name, uid } = node.metadata
  const owner = { apiVersion: apiVersionOf(nodes), kind: 'Node', name, uid }
  return {
    metadata: { name, ownerReferences: [owner] },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: leaseSeconds,
      renewTime: microTimestamp(now),
    },
  }
}
