/** Clusters for tests of decisions: nodes and pods as plain facts. */
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import {
  Cluster,
  type Decision,
  type DecisionOptions,
  type Lookups,
  platformKeys,
  preempt,
  schedule,
  spreadConstraints,
  unfitMessage,
  usualSettings,
} from '../../../runtime/scheduler/scheduler.ts'

const keys = platformKeys({ domain: 'orch.io' })
const nothing: Lookups = {
  namespaceLabels: () => ({}),
  peersOf: () => undefined,
  claim: () => undefined,
  volume: () => undefined,
  volumesOfClass: () => [],
  storageClass: () => undefined,
  csiNode: () => undefined,
  csiDriver: () => undefined,
  capacities: () => [],
  budgets: () => [],
}

/** A node that takes ten pods, with four processors and 8 GiB. */
export function nodeOf(
  name: string,
  {
    labels = {},
    taints = [],
    allocatable = {},
    ...spec
  }: {
    readonly labels?: Readonly<Record<string, string>>
    readonly taints?: readonly object[]
    readonly allocatable?: Readonly<Record<string, string>>
    readonly unschedulable?: boolean
  } = {},
): Stored<Node> {
  return {
    metadata: { name, labels: { 'orch.io/hostname': name, ...labels } },
    spec: { taints, ...spec },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable } },
  } as unknown as Stored<Node>
}

/** A pod that requests what is given, labelled with its name. */
export function podOf(
  name: string,
  requests: Readonly<Record<string, string>> = {},
  {
    labels = {},
    ports,
    status,
    namespace = 'default',
    ...spec
  }: Readonly<Record<string, unknown>> & {
    readonly labels?: Readonly<Record<string, string>>
    readonly namespace?: string
  } = {},
): Stored<Pod> {
  const container = { name: 'main', image: 'example', resources: { requests }, ports }
  return {
    metadata: {
      name,
      namespace,
      uid: `uid of ${namespace}/${name}`,
      labels: { app: name, ...labels },
    },
    spec: { containers: [container], ...spec },
    ...(status !== undefined && { status }),
  } as unknown as Stored<Pod>
}

/** A cluster of nodes, and of pods on them by the name of the node. */
export function clusterOf(
  nodes: readonly Stored<Node>[],
  placed: Readonly<Record<string, readonly Stored<Pod>[]>> = {},
  lookups: Partial<Lookups> = {},
): Cluster {
  const cluster = new Cluster({ ...nothing, ...lookups }, keys)
  for (const node of nodes) cluster.setNode(node)
  for (const [nodeName, pods] of Object.entries(placed)) {
    for (const pod of pods) {
      cluster.setPod({ ...pod, spec: { ...pod.spec, nodeName } } as Stored<Pod>)
    }
  }
  return cluster
}

const { spread, percentageOfNodes } = await usualSettings()

/** Where a pod goes. */
export function decide(
  cluster: Cluster,
  pod: Stored<Pod>,
  options: Partial<DecisionOptions> = {},
): Decision {
  const defaults = { constraints: spreadConstraints(spread, keys), isUsual: true }
  const usual = { defaults, percentageOfNodes, random: () => 0, cursor: 0 }
  return schedule(
    cluster.classes.infoOf(pod),
    cluster,
    Object.assign(options, { ...usual, ...options }),
  )
}

/** The node that a pod goes to, or why it goes nowhere and who would have to go for it. */
export function outcome(cluster: Cluster, pod: Stored<Pod>): string {
  const decision = decide(cluster, pod)
  if ('node' in decision) return decision.node
  const info = cluster.classes.infoOf(pod)
  const found = preempt(info, decision.unfit, { random: () => 0, now: 0 })
  if (!('victims' in found)) return unfitMessage(decision.unfit, found.message)
  return `${found.node} without ${found.victims.map((one) => one.pod.metadata.name).join(' ')}`
}
