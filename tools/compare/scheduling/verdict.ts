import { pause, systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { bindClaims } from './bind-claims.ts'
import { itemsOf, type Side } from './side.ts'
import { pathsIn } from './world.ts'

/** What became of a pod. */
export interface Verdict {
  readonly node: string
  readonly nominated: string
  /** Status, reason and message of the condition. */
  readonly condition: string
  /** Pods that had to go, with what they are told. */
  readonly victims: readonly string[]
  /** Of the pod, and of victims. */
  readonly events: readonly string[]
  /** Claims with the node that was chosen for them, volumes with their claims. */
  readonly claims: readonly string[]
  /** The score of each node, where several would do. */
  readonly scores: string
}

/** How often a pod is looked at, and the milliseconds between. */
const looks = { times: 600, pauseMs: 5 }

type Pod = {
  readonly metadata: JsonObject & { readonly name: string; readonly uid: string }
  readonly spec: { readonly nodeName?: string }
  readonly status: {
    readonly nominatedNodeName?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
  }
}

/** What became of a pod once it was tried, or after three seconds. */
export async function verdictOf(side: Side, namespace: string, name: string): Promise<Verdict> {
  const paths = pathsIn(namespace)
  const path = `${paths.pods}/${name}`
  for (let look = 1; ; look++) {
    await bindClaims(side, namespace)
    const pod = (await side.send('GET', path)) as unknown as Pod
    const events = await eventsOf(side, namespace)
    const isTold = events.some((text) => text.startsWith(`${name}: `))
    const condition = conditionText(pod, 'PodScheduled')
    const isTried = condition !== '' && (isTold || condition.includes('SchedulingGated'))
    if (isTried || look === looks.times) return seen(side, namespace, pod, events)
    await pause(systemClock, looks.pauseMs)
  }
}

/** Waits until a pod has a node, for some seconds. */
export async function nodeOf(side: Side, namespace: string, name: string): Promise<string> {
  for (let look = 1; ; look++) {
    await bindClaims(side, namespace)
    const path = `${pathsIn(namespace).pods}/${name}`
    const { spec } = (await side.send('GET', path)) as unknown as Pod
    if (spec?.nodeName !== undefined || look === looks.times) return spec?.nodeName ?? ''
    await pause(systemClock, looks.pauseMs)
  }
}

async function seen(
  side: Side,
  namespace: string,
  pod: Pod,
  events: readonly string[],
): Promise<Verdict> {
  const paths = pathsIn(namespace)
  const pods = (await itemsOf(side, paths.pods)) as unknown as readonly Pod[]
  const { name } = pod.metadata
  const victims = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const scores = side.scoresOf(namespace, name) ?? new Map<string, number>()
  return {
    node: pod.spec.nodeName ?? '',
    nominated: pod.status.nominatedNodeName ?? '',
    condition: conditionText(pod, 'PodScheduled'),
    victims: victims.map((one) => `${one.metadata.name} ${conditionText(one, 'DisruptionTarget')}`),
    events: events.filter((text) => text.startsWith(`${name}: `) || text.includes(' Preempted ')),
    claims: await claimsOf(side, namespace),
    scores: [...scores]
      .map(([node, score]) => `${node}=${score}`)
      .sort()
      .join(' '),
  }
}

function conditionText({ status }: Pod, type: string): string {
  const found = status.conditions?.find((one) => one.type === type)
  return found ? [found.status, found.reason, found.message].join(' ').trim() : ''
}

const uids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The events of a namespace as texts, each once. */
export async function eventsOf(side: Side, namespace: string): Promise<readonly string[]> {
  const items = await itemsOf(side, `/api/v1/namespaces/${namespace}/events`)
  const texts = items.map((one) => {
    const { name } = one.involvedObject as { readonly name: string }
    return `${name}: ${one.type} ${one.reason} ${one.message}`.replace(uids, '<uid>')
  })
  return [...new Set(texts)].sort()
}

async function claimsOf(side: Side, namespace: string): Promise<readonly string[]> {
  const claims = await itemsOf(side, pathsIn(namespace).claims)
  const volumes = await itemsOf(side, pathsIn(namespace).volumes)
  return [
    ...claims.map(({ metadata, spec }) => {
      const { name, annotations = {} } = metadata as JsonObject & { annotations?: JsonObject }
      const node = annotations['volume.kubernetes.io/selected-node']
      return `${name} ${(spec as JsonObject).volumeName ?? ''} ${node ?? ''}`
    }),
    ...volumes.map(({ metadata, spec }) => {
      const { claimRef } = spec as { readonly claimRef?: JsonObject }
      return `${(metadata as JsonObject).name} ${claimRef?.name ?? ''}`
    }),
  ].sort()
}
