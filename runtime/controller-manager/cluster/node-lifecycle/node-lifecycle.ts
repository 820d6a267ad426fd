import { leases } from '../../../../generated/apis/coordination/v1.ts'
import { type Node, nodes, type Taint } from '../../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { JsonPatch } from '../../../client/client.ts'
import { objectKey } from '../../../informer/informer.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { parseDuration } from '../../../kernel/values/duration.ts'
import type { Json } from '../../../kernel/values/json.ts'
import { escapedStep } from '../../../kernel/values/json-pointer.ts'
import {
  again,
  done,
  every,
  type KeyContext,
  type KeyController,
  type Outcome,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { nodeIndex, podsOfNode } from '../../pods/pods-of-node.ts'
import { decideMarks, type NodeMarks } from './decide-marks.ts'
import {
  decideNodes,
  type EvictingNode,
  isEvictionTaint,
  type NodesMemory,
  type NodesPlan,
  type NodesSettings,
  nothingKnown,
  type SilentNode,
} from './decide-nodes.ts'
import { readyOf } from './node-health.ts'
import { type NodeMetrics, nodeMetrics } from './node-metrics.ts'
import { zoneOf } from './zones.ts'

const all = [{ name: 'all' }]

const component = 'node-controller'

/** Objects that are written at a time. */
const width = 8

/**
 * Finds nodes whose agents are silent, and says so in their conditions; marks nodes so that pods stay away, and leave them at the pace of
 * their zone; says of pods on silent nodes that they are not ready (T-10).
 *
 *   reads    Node, Pod, Lease
 *   writes   Node: status, taints, labels; Pod: status; Event
 *   wakes    once in a period for all nodes, and when a node changes
 *   settles  when each node is marked as its conditions ask for, and nothing waits for its turn to lose its pods
 */
export async function nodeLifecycleController({
  name,
  platform,
  configuration,
  metrics,
}: BuildContext): Promise<readonly KeyController[]> {
  const { agent, domain, prefix } = platform
  const { NodeLifecycleController: rates, OrchCloudShared } = configuration
  const ms = (duration: string) => parseDuration(duration) ?? 0
  const grace = {
    startupMs: ms(rates.NodeStartupGracePeriod),
    monitorMs: ms(rates.NodeMonitorGracePeriod),
  }
  const periodMs = ms(OrchCloudShared.NodeMonitorPeriod)
  const settings: NodesSettings = { ...rates, grace, periodMs, agent, domain }
  const namespace = `${prefix}-node-lease`
  const counts = nodeMetrics(metrics)
  let memory: NodesMemory = nothingKnown
  return [
    {
      ...{ name, component, concurrency: 1, seeds: all },
      watches: [watching(nodes, () => []), watching(leases, () => [])],
      sources: [every(periodMs, () => all)],
      async reconcile(_, context) {
        const { cached, clock } = context
        const leaseOf = (node: string) => cached(leases).get({ namespace, name: node })
        const moment = { now: clock.now(), monotonic: clock.monotonic() }
        const plan = decideNodes({ nodes: cached(nodes).list(), leaseOf }, memory, settings, moment)
        memory = plan.memory
        try {
          return await carryOut(plan, domain, { ...context, counts })
        } finally {
          counts.looked(plan.zones, clock.monotonic() - moment.monotonic)
        }
      },
    },
    {
      ...{ name: `${name}/marks`, component, concurrency: width },
      watches: [watching(nodes, (node) => [objectKey(node)])],
      async reconcile(key, context) {
        const node = context.cached(nodes).get(key)
        const marks = node && decideMarks(node, domain, context.clock.now())
        if (node === undefined || marks === undefined) return done
        return settled(await writeMarks(node, marks, context))
      },
    },
    {
      ...{ name: `${name}/pods`, component, concurrency: width },
      watches: [
        watching(nodes, (node, lookup) =>
          isUnknown(node) ? podsOfNode(node.metadata.name, lookup).map(objectKey) : [],
        ),
        watching(
          pods,
          (pod, { cached }) => {
            const node = cached(nodes).get({ name: pod.spec?.nodeName ?? '' })
            return node && isOvertaken(pod, node) ? [objectKey(pod)] : []
          },
          { indexes: nodeIndex },
        ),
      ],
      async reconcile(key, context) {
        const pod = context.cached(pods).get(key)
        const node = context.cached(nodes).get({ name: pod?.spec?.nodeName ?? '' })
        if (pod === undefined || node === undefined || !isUnknown(node)) return done
        return markNotReady(pod, context)
      },
    },
  ]
}

function isUnknown(node: Node): boolean {
  return readyOf(node)?.status === 'Unknown'
}

/** True for a pod that is ready since before its node fell silent. One that became ready since then has an agent that speaks. */
function isOvertaken({ status }: Pod, node: Node): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const since = readyOf(node)?.lastTransitionTime ?? ''
  return isUnknown(node) && ready?.status === 'True' && (ready.lastTransitionTime ?? '') < since
}

async function carryOut(
  plan: NodesPlan,
  domain: string,
  context: KeyContext & { readonly counts: NodeMetrics },
): Promise<Outcome> {
  const tell = (node: Stored<Node>, reason: string, what: string) => {
    const message = `Node ${node.metadata.name} event: ${what}`
    context.event(node, { type: 'Normal', reason, message })
  }
  for (const node of plan.registered) {
    tell(node, 'RegisteredNode', `Registered Node ${node.metadata.name} in Controller`)
  }
  for (const node of plan.removed) {
    tell(node, 'RemovingNode', `Removing Node ${node.metadata.name} from Controller`)
  }
  const isWritten = [
    ...(await atOnce(plan.silent, (one) => writeSilence(one, context))),
    ...(await atOnce(plan.spared, (node) => spare(node, domain, context))),
    ...(await atOnce(plan.evicting, async (one) => {
      const isMarked = await evict(one, context)
      if (isMarked) context.counts.evicted(zoneOf(one.node, domain))
      return isMarked
    })),
  ]
  if (isWritten.includes(false)) return again(0, 'a node has changed meanwhile')
  return plan.dueMs === undefined ? done : again(plan.dueMs, 'a node waits for its turn')
}

async function atOnce<T>(
  items: readonly T[],
  write: (item: T) => Promise<boolean>,
): Promise<readonly boolean[]> {
  const results: boolean[] = []
  for (let start = 0; start < items.length; start += width) {
    results.push(...(await Promise.all(items.slice(start, start + width).map(write))))
  }
  return results
}

async function writeSilence(
  { node, conditions, wasReady }: SilentNode,
  context: KeyContext,
): Promise<boolean> {
  const { name, resourceVersion } = node.metadata
  const patch = { metadata: { resourceVersion }, status: { conditions } }
  const isWritten = await unlessChanged(() =>
    context.client
      .resource(nodes)
      .mergePatch(name, patch, { subresource: 'status' }, context.signal),
  )
  if (isWritten && wasReady) {
    const message = `Node ${name} status is now: NodeNotReady`
    context.event(node, { type: 'Normal', reason: 'NodeNotReady', message })
  }
  return isWritten
}

/** Takes away what pods leave by. */
function spare(node: Stored<Node>, domain: string, context: KeyContext): Promise<boolean> {
  const taints = node.spec?.taints?.filter((taint) => !isEvictionTaint(taint, domain))
  return writeMarks(node, { taints, labels: undefined }, context)
}

function evict({ node, taint: key }: EvictingNode, context: KeyContext): Promise<boolean> {
  const taint = { key, effect: 'NoExecute', timeAdded: timestamp(context.clock.now()) } as const
  const taints = [...(node.spec?.taints ?? []), taint]
  return writeMarks(node, { taints, labels: undefined }, context)
}

/**
 * A list is written as a whole, so that it must be the one that was looked at: its taints, and not the version of the node, which others write
 * at the same time. False if it is another one by now.
 */
async function writeMarks(
  node: Stored<Node>,
  { taints, labels }: NodeMarks,
  { client, signal }: KeyContext,
): Promise<boolean> {
  const { name, uid, resourceVersion } = node.metadata
  const present = node.spec?.taints ?? []
  const all = client.resource(nodes)
  if (taints === undefined || present.length === 0) {
    const patch = {
      metadata: { uid, ...(taints && { resourceVersion }), ...(labels && { labels }) },
      ...(taints && { spec: { taints } }),
    }
    return unlessChanged(() => all.mergePatch(name, patch, {}, signal))
  }
  try {
    const steps = taintSteps(uid, present, taints, labels)
    return await unlessChanged(() => all.jsonPatch(name, steps, {}, signal))
  } catch (error) {
    if (!isStatus(error, 'Invalid')) throw error
    const now = await all.find(name, signal)
    if (now?.metadata.uid === uid && deepEqual(now.spec?.taints ?? [], present)) throw error
    return now === undefined
  }
}

/** The steps from the taints that a node has to those that it gets, and its labels beside them. */
function taintSteps(
  uid: string,
  present: readonly Taint[],
  taints: readonly Taint[],
  labels: NodeMarks['labels'] = {},
): JsonPatch {
  const path = '/spec/taints'
  const list = (value: readonly Taint[]) => value as unknown as Json
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: list(present) },
    taints.length === 0 ? { op: 'remove', path } : { op: 'replace', path, value: list(taints) },
    ...Object.entries(labels).map(([key, value]) => ({
      ...({ op: 'add', path: `/metadata/labels/${escapedStep(key)}` } as const),
      value,
    })),
  ]
}

async function markNotReady(pod: Stored<Pod>, context: KeyContext): Promise<Outcome> {
  const { client, clock, signal } = context
  const { name, namespace, uid, resourceVersion } = pod.metadata
  const isReady = ({ type, status }: { type: string; status: string }) =>
    type === 'Ready' && status !== 'False'
  const known = pod.status?.conditions ?? []
  if (!known.some(isReady)) return done
  const lastTransitionTime = timestamp(clock.now())
  const conditions = known.map((one) =>
    isReady(one) ? { ...one, status: 'False' as const, lastTransitionTime } : one,
  )
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } }
  const isWritten = await unlessChanged(() =>
    client.resource(pods).in(namespace).mergePatch(name, patch, { subresource: 'status' }, signal),
  )
  if (isWritten) {
    const message = 'Node is not ready'
    context.event(pod, { type: 'Warning', reason: 'NodeNotReady', message })
  }
  return settled(isWritten)
}

/** False if what is written has changed since it was looked at; what is gone needs nothing any more. */
async function unlessChanged(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (isStatus(error, 'Conflict')) return false
    if (isStatus(error, 'NotFound')) return true
    throw error
  }
}

function settled(isWritten: boolean): Outcome {
  return isWritten ? done : again(0, 'it has changed meanwhile')
}
