/** Whether the agent of a node speaks, by its lease and its status. */

import type { Lease } from '../../../../generated/apis/coordination/v1.ts'
import type { Node, NodeCondition } from '../../../../generated/apis/core/v1/node.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { capitalized } from '../../../kernel/values/capitalized.ts'

/** A moment, by both clocks. */
export interface Moment {
  /** What others read: milliseconds since the epoch. */
  readonly now: number
  /** What is measured by: it never goes back. */
  readonly monotonic: number
}

/** What was last heard of a node. */
export interface NodeHealth {
  readonly node: Stored<Node>
  /** When, by the monotonic clock. */
  readonly heardAt: number
  /** The heartbeat of its condition Ready; the creation of a node that has none. */
  readonly heartbeat: string
  /** When its lease was renewed, by the clock of its agent; undefined without a lease. */
  readonly renewed: string | undefined
}

/** Milliseconds for which a node may be silent. */
export interface GracePeriods {
  readonly startupMs: number
  readonly monitorMs: number
}

/** The condition of a node that says whether pods can run there. */
export function readyOf({ status }: Node): NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

/** What is known of a node after another look at it. Times of the agent are compared with each other, never with ours. */
export function hearNode(
  node: Stored<Node>,
  lease: Stored<Lease> | undefined,
  known: NodeHealth | undefined,
  { now, monotonic }: Moment,
): NodeHealth {
  const { uid, creationTimestamp } = node.metadata
  const ready = readyOf(node)
  const before = known?.node.metadata.uid === uid ? known : undefined
  const heartbeat = ready?.lastHeartbeatTime ?? creationTimestamp
  const renewTime = lease && (lease.spec?.renewTime ?? '')
  const renewed = latest(before?.renewed, renewTime)
  const hasSpoken = renewed !== before?.renewed || (before && heartbeat !== before.heartbeat)
  const age = ready === undefined ? now - Date.parse(creationTimestamp) : 0
  const heardAt = hasSpoken ? monotonic : (before?.heardAt ?? monotonic - age)
  return { node, heardAt, heartbeat, renewed }
}

function latest(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? other : one
}

/** True for a node whose agent has been silent for too long. */
export function isSilent(
  { node, heardAt }: NodeHealth,
  { startupMs, monitorMs }: GracePeriods,
  { monotonic }: Moment,
): boolean {
  return monotonic - heardAt > (readyOf(node) === undefined ? startupMs : monitorMs)
}

/** What an agent says of its node. Of the network others speak. */
const saidByAgent = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

/** The conditions of a node whose agent is silent; undefined if it is known already that nothing is known. */
export function silentConditions(
  node: Stored<Node>,
  agent: string,
  now: number,
): readonly NodeCondition[] | undefined {
  if (readyOf(node)?.status === 'Unknown') return undefined
  const name = capitalized(agent)
  const lastTransitionTime = timestamp(now)
  const conditions = node.status?.conditions ?? []
  const isSaid = ({ type }: NodeCondition) => saidByAgent.some((one) => one === type)
  const missing = saidByAgent.filter((type) => !conditions.some((one) => one.type === type))
  return [
    ...conditions.map((one) =>
      isSaid(one) && one.status !== 'Unknown'
        ? {
            ...{ ...one, status: 'Unknown' as const, reason: 'NodeStatusUnknown' },
            ...{ message: `${name} stopped posting node status.`, lastTransitionTime },
          }
        : one,
    ),
    ...missing.map((type) => ({
      ...({ type, status: 'Unknown', reason: 'NodeStatusNeverUpdated' } as const),
      message: `${name} never posted node status.`,
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime,
    })),
  ]
}
