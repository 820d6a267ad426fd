import type {
  Node,
  NodeCondition,
  NodeSystemInfo,
  Taint,
} from '../../../generated/apis/core/v1/node.ts'
import type { NamedDraft } from '../../client/client.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { capitalized } from '../../kernel/values/capitalized.ts'
import type { NodePressure } from '../pressure/decide-pressure.ts'
import type { MachineFacts } from './node-facts.ts'

/** What a node is registered with. */
export interface NodeSettings {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly schedulable: boolean
  readonly providerID: string
  /** The port of the agent. */
  readonly port: number
  readonly machine: MachineFacts
  readonly allocatable: Readonly<Record<string, string>>
  /** `containerd://1.6.20`. */
  readonly runtimeVersion: string
  readonly platform: Platform
}

/** What is known of the state of a node. */
export interface NodeState {
  readonly pressure: NodePressure
  /** Why no pods can be run; empty if they can. */
  readonly problem: string
  readonly now: number
}

/** A node as its agent registers it. */
export function nodeDraft(settings: NodeSettings, state: NodeState): NamedDraft<Node> {
  const { name, labels, taints, schedulable, providerID, platform, machine } = settings
  return {
    metadata: { name, labels: nodeLabels(platform, name, machine, labels) },
    spec: {
      ...(taints.length > 0 && { taints }),
      ...(!schedulable && { unschedulable: true }),
      ...(providerID !== '' && { providerID }),
    },
    status: nodeStatus(undefined, settings, state),
  }
}

/** The labels that an agent gives its node, and those that were asked for. */
export function nodeLabels(
  { domain }: Platform,
  name: string,
  { info: { architecture, operatingSystem } }: MachineFacts,
  asked: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return {
    [`beta.${domain}/arch`]: architecture,
    [`beta.${domain}/os`]: operatingSystem,
    [`${domain}/arch`]: architecture,
    [`${domain}/hostname`]: name,
    [`${domain}/os`]: operatingSystem,
    ...asked,
  }
}

/** The status of a node; conditions of others stay, and what is as it was keeps its time. */
export function nodeStatus(
  before: Node['status'] | undefined,
  settings: NodeSettings,
  state: NodeState,
): NonNullable<Node['status']> {
  const { machine, allocatable, port, name, runtimeVersion, platform } = settings
  return {
    ...before,
    capacity: machine.capacity,
    allocatable,
    conditions: conditionsOf(before?.conditions ?? [], platform.agent, state),
    addresses: [
      { type: 'InternalIP', address: machine.address },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { [`${platform.agent}Endpoint`]: { Port: port } },
    nodeInfo: {
      ...machine.info,
      containerRuntimeVersion: runtimeVersion,
      [`${platform.agent}Version`]: `v${platform.release}`,
      [`${platform.prefix}ProxyVersion`]: `v${platform.release}`,
    } as unknown as NodeSystemInfo,
  }
}

function conditionsOf(
  known: readonly NodeCondition[],
  agent: string,
  { pressure, problem, now }: NodeState,
): readonly NodeCondition[] {
  const word = capitalized(agent)
  const under = (type: string, is: boolean, lacks: string, has: string, text: string) => ({
    ...{ type, status: is ? ('True' as const) : ('False' as const) },
    reason: `${word}${is ? lacks : has}`,
    message: `${agent} has ${text}`,
  })
  const { memory, disk, pids } = pressure
  const facts = [
    under(
      'MemoryPressure',
      memory,
      'HasInsufficientMemory',
      'HasSufficientMemory',
      `${memory ? 'insufficient' : 'sufficient'} memory available`,
    ),
    under(
      'DiskPressure',
      disk,
      'HasDiskPressure',
      'HasNoDiskPressure',
      disk ? 'disk pressure' : 'no disk pressure',
    ),
    under(
      'PIDPressure',
      pids,
      'HasInsufficientPID',
      'HasSufficientPID',
      `${pids ? 'insufficient' : 'sufficient'} PID available`,
    ),
    {
      type: 'Ready',
      status: problem === '' ? ('True' as const) : ('False' as const),
      reason: `${word}${problem === '' ? 'Ready' : 'NotReady'}`,
      message: problem === '' ? `${agent} is posting ready status` : problem,
    },
  ]
  const others = known.filter(({ type }) => !facts.some((one) => one.type === type))
  const lastHeartbeatTime = timestamp(now)
  const written = facts.map((one) => {
    const former = known.find(({ type }) => type === one.type)
    const kept = former?.status === one.status ? former.lastTransitionTime : undefined
    return { ...one, lastHeartbeatTime, lastTransitionTime: kept ?? lastHeartbeatTime }
  })
  return [...others, ...written]
}
