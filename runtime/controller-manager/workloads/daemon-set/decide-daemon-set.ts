import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { intOrPercentValue, percentValue } from '../../../kernel/values/int-or-percent.ts'
import { isAvailable, isReady } from '../../pods/pod-state.ts'
import { hashLabel, isUpdated, nodeOf, type StoredDaemonSet } from './daemon-pod.ts'
import type { NodeFit } from './node-fit.ts'

/** What is observed of a daemon set. */
export interface ObservedDaemonSet {
  readonly set: StoredDaemonSet
  /** The hash of the revision that its pods are to have. */
  readonly hash: string
  readonly nodes: readonly Stored<Node>[]
  /** What pods of the set may do on a node. */
  readonly fitOf: (node: Stored<Node>) => NodeFit
  /** Its own. */
  readonly pods: readonly Stored<Pod>[]
  /** Milliseconds for which a failed pod of a node is to stay. */
  readonly waitMs: (node: string) => number
}

/** A pod that goes because it has finished, which is told. */
export interface FinishedPod {
  readonly pod: Stored<Pod>
  readonly node: string
}

/** What is to be done about the pods of a daemon set. */
export interface DaemonPlan {
  /** The nodes that get a pod. */
  readonly create: readonly string[]
  readonly remove: readonly Stored<Pod>[]
  /** Those of them that failed or succeeded. */
  readonly finished: readonly FinishedPod[]
  /** When a failed pod is due that stays for now. */
  readonly dueMs: number | undefined
}

type PodsByNode = ReadonlyMap<string, readonly Stored<Pod>[]>

/** The pods of each node, but for those that have finished and go. */
export function podsByNode(pods: readonly Stored<Pod>[]): PodsByNode {
  const byNode = new Map<string, Stored<Pod>[]>()
  for (const pod of pods) {
    const node = nodeOf(pod)
    if (node === undefined || (isFinished(pod) && isGoing(pod))) continue
    const there = byNode.get(node)
    if (there === undefined) byNode.set(node, [pod])
    else there.push(pod)
  }
  for (const there of byNode.values()) there.sort(byPlaceAndAge)
  return byNode
}

/** Every node that the set wants has one pod, and no other node has any. */
export function decidePods(observed: ObservedDaemonSet, now: number): DaemonPlan {
  const { nodes, pods, fitOf } = observed
  const byNode = podsByNode(pods)
  const plans = nodes.map((node) => {
    const there = byNode.get(node.metadata.name)
    return decideNode(node.metadata.name, fitOf(node), there, observed, now)
  })
  const known = new Set(nodes.map(({ metadata }) => metadata.name))
  const lost = [...byNode].flatMap(([node, there]) =>
    known.has(node) ? [] : there.filter(({ spec }) => (spec?.nodeName ?? '') === ''),
  )
  const due = plans.flatMap(({ dueMs }) => dueMs ?? [])
  return {
    create: plans.flatMap(({ create }) => create),
    remove: [...plans.flatMap(({ remove }) => remove), ...lost],
    finished: plans.flatMap(({ finished }) => finished),
    dueMs: due.length === 0 ? undefined : Math.min(...due),
  }
}

const nothing: DaemonPlan = { create: [], remove: [], finished: [], dueMs: undefined }

function decideNode(
  node: string,
  { starts, stays }: NodeFit,
  there: readonly Stored<Pod>[] | undefined,
  observed: ObservedDaemonSet,
  now: number,
): DaemonPlan {
  if (there === undefined) return starts ? { ...nothing, create: [node] } : nothing
  const staying = there.filter((pod) => !isGoing(pod))
  if (!stays) return { ...nothing, remove: staying }
  const failed = staying.filter(({ status }) => status?.phase === 'Failed')
  const waitMs = failed.length === 0 ? 0 : observed.waitMs(node)
  const [first, ...more] = failed
  const due = waitMs > 0 || first === undefined ? [] : [first]
  const finished = [...due, ...staying.filter(({ status }) => status?.phase === 'Succeeded')]
  const running = staying.filter((pod) => !isFinished(pod))
  const replaced =
    surgeOf(observed.set, 1) > 0 ? decideSurge(running, observed, now) : running.slice(1)
  const isBare = surgeOf(observed.set, 1) > 0 && running.length === 0 && starts
  const waits = failed.length > due.length
  return {
    create: isBare ? [node] : [],
    remove: [...finished, ...replaced],
    finished: finished.map((pod) => ({ pod, node })),
    dueMs: waits ? (more.length > 0 && waitMs === 0 ? 1000 : waitMs) : undefined,
  }
}

/** Of several pods on a node the oldest of the present template and of an older one stay, until the new one serves. */
function decideSurge(
  running: readonly Stored<Pod>[],
  { set, hash }: ObservedDaemonSet,
  now: number,
): readonly Stored<Pod>[] {
  if (running.length <= 1) return []
  const isNew = ({ metadata }: Stored<Pod>) => metadata.labels?.[hashLabel] === hash
  const newest = running.find(isNew)
  const oldest = running.find((pod) => !isNew(pod))
  const surplus = running.filter((pod) => pod !== newest && pod !== oldest)
  const isOver = newest && oldest && (!isReady(oldest) || isAvailable(newest, minReady(set), now))
  return isOver ? [...surplus, oldest] : surplus
}

/** Pods of older templates are replaced, as many at a time as the set allows. */
export function decideUpdate(observed: ObservedDaemonSet, now: number): DaemonPlan {
  const { set, nodes, pods, fitOf } = observed
  if (set.spec?.updateStrategy?.type === 'OnDelete') return nothing
  const wanted = new Set(
    nodes.filter((node) => fitOf(node).starts).map(({ metadata }) => metadata.name),
  )
  const byNode = podsByNode(pods)
  const names = [...new Set([...byNode.keys(), ...wanted])].sort()
  const states = names.map((node) => stateOf(node, byNode.get(node) ?? [], observed, now))
  const surge = surgeOf(set, wanted.size)
  if (surge > 0) return decideSurgingUpdate(states, { wanted, surge })
  const limit = set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1
  const most = Math.max(amountOf(limit, wanted.size), wanted.size > 0 ? 1 : 0)
  return decideRollingUpdate(states, most)
}

/** What is on a node during an update. */
interface NodeState {
  readonly node: string
  /** There are two pods of the present template, or two of older ones. */
  readonly isCrowded: boolean
  readonly newPod: Stored<Pod> | undefined
  readonly oldPod: Stored<Pod> | undefined
  readonly newServes: boolean
  readonly oldServes: boolean
}

function stateOf(
  node: string,
  there: readonly Stored<Pod>[],
  { set, hash }: ObservedDaemonSet,
  now: number,
): NodeState {
  const staying = there.filter((pod) => !isGoing(pod))
  const [newPod, ...news] = staying.filter((pod) => isUpdated(pod, set, hash))
  const [oldPod, ...olds] = staying.filter((pod) => !isUpdated(pod, set, hash))
  const serves = (pod: Stored<Pod> | undefined) =>
    pod !== undefined && isAvailable(pod, minReady(set), now)
  const isCrowded = news.length + olds.length > 0
  return { node, isCrowded, newPod, oldPod, newServes: serves(newPod), oldServes: serves(oldPod) }
}

/** Old pods that do not serve go at once, the others as far as enough nodes serve. */
function decideRollingUpdate(states: readonly NodeState[], most: number): DaemonPlan {
  const isOld = ({ isCrowded, newPod, oldPod }: NodeState) => !isCrowded && oldPod && !newPod
  const old = states.filter(isOld)
  const serving = states.filter((state) => (isOld(state) ? state.oldServes : isSettled(state)))
  const away = states.length - serving.length
  const candidates = old.filter(({ oldServes }) => oldServes)
  const chosen = [
    ...old.filter(({ oldServes }) => !oldServes),
    ...candidates.slice(0, Math.max(0, most - away)),
  ]
  return { ...nothing, remove: chosen.flatMap(({ oldPod }) => oldPod ?? []) }
}

function isSettled({ isCrowded, newPod, oldPod, newServes }: NodeState): boolean {
  return !isCrowded && newPod !== undefined && oldPod === undefined && newServes
}

/** New pods come beside old ones, on so many nodes at a time; old ones go when the new ones serve. */
function decideSurgingUpdate(
  states: readonly NodeState[],
  { wanted, surge }: { readonly wanted: ReadonlySet<string>; readonly surge: number },
): DaemonPlan {
  const clear = states.filter(({ isCrowded }) => !isCrowded)
  const both = clear.filter(({ newPod, oldPod }) => newPod && oldPod)
  const old = clear.filter(({ newPod, oldPod }) => oldPod && !newPod)
  const surging = states.length - clear.length + both.filter(({ newServes }) => !newServes).length
  const serving = clear.filter(({ oldPod, oldServes, newServes }) =>
    oldPod ? oldServes : newServes,
  )
  const unwanted = old.filter(({ node }) => !wanted.has(node))
  const replaceable = old.filter(({ node }) => wanted.has(node))
  const spare = Math.max(0, serving.length - wanted.size)
  const going = [
    ...both.filter(({ newServes }) => newServes),
    ...unwanted.filter(({ oldServes }) => !oldServes),
    ...unwanted.filter(({ oldServes }) => oldServes).slice(0, spare),
  ]
  const coming = [
    ...replaceable.filter(({ oldServes }) => !oldServes),
    ...replaceable.filter(({ oldServes }) => oldServes).slice(0, Math.max(0, surge - surging)),
  ]
  return {
    ...nothing,
    create: coming.map(({ node }) => node),
    remove: going.flatMap(({ oldPod }) => oldPod ?? []),
  }
}

/** How many nodes may have two pods at a time. */
function surgeOf({ spec }: StoredDaemonSet, nodes: number): number {
  const { type = 'RollingUpdate', rollingUpdate } = spec?.updateStrategy ?? {}
  return type === 'RollingUpdate' ? amountOf(rollingUpdate?.maxSurge ?? 0, nodes) : 0
}

/** An amount, or a percentage of nodes rounded up. */
function amountOf(limit: number | string, nodes: number): number {
  const percent = percentValue(limit)
  return Number.isNaN(percent) ? intOrPercentValue(limit) : Math.ceil((percent * nodes) / 100)
}

function minReady({ spec }: StoredDaemonSet): number {
  return spec?.minReadySeconds ?? 0
}

function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Pods that have a node first, then older ones. */
function byPlaceAndAge(one: Stored<Pod>, other: Stored<Pod>): number {
  const rank = ({ spec, metadata }: Stored<Pod>) =>
    `${(spec?.nodeName ?? '') === '' ? 1 : 0} ${metadata.creationTimestamp} ${metadata.name}`
  return rank(one) < rank(other) ? -1 : 1
}
