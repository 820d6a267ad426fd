import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Random } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import { sampleDelay } from '../delay.ts'
import type { SimulatedNode } from '../nodes/fleet.ts'
import type { Starts } from '../nodes/starts.ts'
import { readBehaviour } from './pod-behaviour.ts'
import type { PodChange, PodStage, StageContext } from './pod-stage.ts'

/** How pods are led. */
export interface PodAgentsOptions {
  readonly fleet: ReadonlyMap<string, SimulatedNode>
  readonly stages: readonly PodStage[]
  readonly platform: Platform
  readonly random: Random
  readonly starts: Starts
}

/** The stage that a pod is at, and when it is carried out. */
interface Waiting {
  readonly stage: PodStage
  readonly at: number
}

/** A node that has no address for a pod is asked again after so many milliseconds. */
const retryMs = 5_000

/**
 * The agents of simulated nodes, as far as they are about pods: each leads those that are bound to it through their stages. All nodes
 * share one cache of pods, and one queue, in which a pod waits for what comes next.
 *
 *   reads    Pod
 *   writes   Pod: status, delete
 *   wakes    when a pod of these nodes changes, and when its stage is over
 *   settles  when no stage applies to any pod
 */
export function podAgents(options: PodAgentsOptions): KeyController {
  const { fleet, stages, platform, random, starts } = options
  const waiting = new Map<string, Waiting>()
  /** The pods that are led, each with the node that keeps its address. */
  const led = new Map<string, { readonly uid: string; readonly node: SimulatedNode }>()
  const isOurs = ({ spec }: Pick<Pod, 'spec'>) => fleet.has(spec?.nodeName ?? '')
  return {
    name: 'simulated-nodes/pods',
    component: platform.agent,
    concurrency: 16,
    watches: [
      watching(pods, (pod) => [objectKey(pod)], {
        where: isOurs,
        fieldSelector: 'spec.nodeName!=',
      }),
    ],
    sources: [
      starts.source((name, { cached }) =>
        cached(pods)
          .list()
          .filter(({ spec }) => spec?.nodeName === name)
          .map(objectKey),
      ),
    ],
    async reconcile(key, context) {
      const pod = context.cached(pods).get(key)
      const id = `${key.namespace}/${key.name}`
      const node = fleet.get(pod?.spec?.nodeName ?? '')
      if (pod === undefined || node === undefined) return forget(id)
      const { uid } = pod.metadata
      if (led.get(id)?.uid !== uid) {
        release(id)
        led.set(id, { uid, node })
        if (pod.status?.podIP && !pod.spec?.hostNetwork) node.pods.keep(uid, pod.status.podIP)
        tellProblems(pod, context)
      }
      return node.running ? advance(pod, node, id, context) : done
    },
  }

  function forget(id: string): Outcome {
    release(id)
    led.delete(id)
    return done
  }

  function release(id: string): void {
    waiting.delete(id)
    const known = led.get(id)
    known?.node.pods.release(known.uid)
  }

  function tellProblems(pod: Stored<Pod>, context: KeyContext): void {
    const { problems } = readBehaviour(pod, platform.domain)
    if (problems.length === 0) return
    const note = { type: 'Warning', reason: 'InvalidSimulation', message: problems.join('; ') }
    context.event(pod, note as never)
  }

  async function advance(
    pod: Stored<Pod>,
    node: SimulatedNode,
    id: string,
    context: KeyContext,
  ): Promise<Outcome> {
    const { clock } = context
    const facts: StageContext = {
      now: clock.now(),
      nodeAddress: node.address,
      behaviour: readBehaviour(pod, platform.domain).behaviour,
      podAddress: () => node.pods.of(pod.metadata.uid),
    }
    const stage = stages.find((one) => one.applies(pod, facts))
    if (stage === undefined) {
      waiting.delete(id)
      return done
    }
    const now = clock.monotonic()
    let next = waiting.get(id)
    if (next?.stage !== stage) {
      const { delay = 0 } = stage
      const ms = sampleDelay(typeof delay === 'function' ? delay(pod, facts) : delay, random)
      next = { stage, at: now + ms }
      waiting.set(id, next)
    }
    if (now < next.at) return again(next.at - now)
    const change = stage.change(pod, facts)
    if (change === undefined) return again(retryMs)
    const outcome = await write(pod, change, context)
    waiting.delete(id)
    return outcome
  }
}

async function write(
  pod: Stored<Pod>,
  change: NonNullable<PodChange>,
  { client, signal }: KeyContext,
): Promise<Outcome> {
  const all = client.resource(pods)
  try {
    if (change === 'delete') await all.delete(pod, { gracePeriodSeconds: 0 }, signal)
    else await all.updateStatus({ ...pod, status: change.status }, {}, signal)
  } catch (error) {
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    if (!isStatus(error, 'NotFound')) throw error
  }
  return done
}
