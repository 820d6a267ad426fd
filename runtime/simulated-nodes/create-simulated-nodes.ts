import type { Client } from '../client/client.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { deferred } from '../kernel/async/deferred.ts'
import { seededRandom } from '../kernel/async/seeded-random.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { withoutManagedFields } from '../kernel/meta/managed-fields.ts'
import { sharedParts } from '../kernel/meta/shared-parts.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import { createManager } from '../reconcile/reconcile.ts'
import { makeFleet, mostNodes } from './nodes/fleet.ts'
import { nodeAgents } from './nodes/node-agents.ts'
import { Starts } from './nodes/starts.ts'
import { defaultStages } from './pods/default-stages.ts'
import { podAgents } from './pods/pod-agents.ts'
import type { PodStage } from './pods/pod-stage.ts'

/** Which nodes there are, and how their pods live. */
export interface SimulatedNodesOptions {
  /** How many. */
  readonly count: number
  /** What names begin with, before the number. Default `node-`. */
  readonly prefix?: string
  /** What each node has, and gives to pods. Default: 32 processors, 256 GiB, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>
  /** Labels of the node with that place, beside those that every node has. Default: none. */
  readonly labels?: (index: number) => Readonly<Record<string, string>>
  /**
   * The stages of pods, made of those that they have by default: more of them, others under their names, with other delays.
   *
   * @example stages: (usual) => usual.map((one) => (one.name === 'started' ? { ...one, delay: { exponential: 2000 } } : one))
   */
  readonly stages?: (usual: readonly PodStage[]) => readonly PodStage[]
  /** What delays are drawn with: equal histories have equal delays. Default 1. */
  readonly seed?: number
}

/** What simulated nodes run on. */
export interface SimulatedNodesSettings extends SimulatedNodesOptions {
  /** A client that may write nodes, leases, and pods with their status. */
  readonly client: Client
  /** The names of the server. */
  readonly platform: Platform
  /**
   * Whether each node removes the taint itself that keeps pods from a new one: right where no node lifecycle controller runs, which does so.
   * Default true.
   */
  readonly removesTaint?: boolean
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
}

/** Nodes of which each does what an agent would, without anything that runs. */
export interface SimulatedNodes {
  readonly names: readonly string[]
  /** Resolves when all nodes are registered; rejects if the server refuses one as it is. */
  readonly ready: Promise<void>
  /** A node falls silent: no heartbeat, nothing becomes of its pods. @throws RangeError for a name that is none of these nodes. */
  stop(name: string): void
  /** A node that fell silent speaks again. @throws RangeError for a name that is none of these nodes. */
  start(name: string): void
  /** Runs until `signal` aborts. Runs once. */
  run(signal: AbortSignal): Promise<void>
}

const usualCapacity = {
  ...{ cpu: '32', memory: '256Gi', pods: '110' },
  'ephemeral-storage': '1Ti',
}

/** Nodes that register, and lead pods that are bound to them through their stages. @throws RangeError for a count that is no number of nodes. */
export function createSimulatedNodes(settings: SimulatedNodesSettings): SimulatedNodes {
  const { client, platform, clock, log, metrics, count, prefix = 'node-', seed = 1 } = settings
  const { capacity = usualCapacity, labels = () => ({}), stages = (usual) => usual } = settings
  const { removesTaint = true } = settings
  if (!Number.isInteger(count) || count < 0 || count > mostNodes) {
    throw new RangeError(`count: must be a number of nodes from 0 to ${mostNodes}`)
  }
  const fleet = makeFleet(count, prefix)
  const random = seededRandom(seed)
  const starts = new Starts()
  const share = sharedParts()
  const registering = deferred()
  registering.promise.catch(() => {})
  if (count === 0) registering.resolve()
  const manager = createManager({
    ...{ client, clock, log, name: 'simulated-nodes', keepAlive: false },
    defaultTransform: (object) => share(withoutManagedFields(object)),
    controllers: [
      nodeAgents(fleet, { capacity, labels, platform, removesTaint }, starts, registering),
      podAgents({ ...{ fleet, platform, random, starts }, stages: stages(defaultStages) }),
    ],
    ...(metrics && { metrics }),
  })
  const nodeOf = (name: string) => {
    const node = fleet.get(name)
    if (node === undefined) throw new RangeError(`${name} is no simulated node`)
    return node
  }
  const ready = manager.ready.then(() => registering.promise)
  ready.catch(() => {})
  return {
    names: [...fleet.keys()],
    ready,
    stop(name) {
      nodeOf(name).running = false
    },
    start(name) {
      nodeOf(name).running = true
      starts.tell(name)
    },
    run: (signal) => manager.run(signal),
  }
}
