import type { PodDisruptionBudget } from '../../../generated/apis/policy/v1.ts'
import type { Random } from '../../kernel/async/clock.ts'
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import { type Rejection, unfit } from '../filters/rejection.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { type Attempt, changeCounts, cloneCounts, rejectionBesideNominated } from './attempt.ts'
import { countedReasons } from './messages.ts'
import type { Unfit } from './schedule.ts'

/** What comes of looking for less important pods that could go. */
export type Preemption =
  | { readonly node: string; readonly victims: readonly PodInfo[] }
  | {
      /** Why none go. */
      readonly message: string
      /** True if the node that the pod waits for is to be forgotten. */
      readonly gaveUp: boolean
    }

/** A node, and who would have to go from it. */
interface Candidate {
  readonly node: string
  /** The most important one first. */
  readonly victims: readonly PodInfo[]
  /** How many of them a budget says stay. */
  readonly violations: number
}

/** What decides between candidates beside what they are. */
export interface PreemptionOptions {
  readonly random: Random
  readonly now: number
}

/** Of so many nodes, or of this part of them in percent, candidates are sought. */
const [leastCandidates, percentageOfCandidates] = [100, 10]

/** Chooses who goes, so that a pod for which there is no node finds one. Changes nothing. */
export function preempt(info: PodInfo, found: Unfit, options: PreemptionOptions): Preemption {
  const { attempt, rejections } = found
  const refusal = eligibility(info, found)
  if (refusal !== undefined) return { message: `preemption: ${refusal}`, gaveUp: false }
  const nodes = attempt?.cluster.nodes ?? []
  const useful = nodes.filter(({ name }) => rejections.get(name)?.mayBeFreed === true)
  const results = new Map<string, Rejection>()
  const candidates = attempt === undefined ? [] : candidatesOf(attempt, useful, results, options)
  const chosen = candidates.length === 0 ? undefined : bestOf(candidates, options.now)
  if (chosen !== undefined) return { node: chosen.node, victims: chosen.victims }
  const useless = unfit('NodeName', 'Preemption is not helpful for scheduling')
  const others = found.nodes - useful.length
  const all = [...results.values(), ...Array.from({ length: others }, () => useless)]
  const reasons = countedReasons(all)
  const said = reasons === '' ? '' : ` ${reasons}.`
  return { message: `preemption: 0/${all.length} nodes are available:${said}`, gaveUp: true }
}

/** Why a pod may not make others go; undefined if it may. */
function eligibility(
  { pod, class: own }: PodInfo,
  { attempt, rejections }: Unfit,
): string | undefined {
  if (pod.spec?.preemptionPolicy === 'Never') {
    return 'not eligible due to preemptionPolicy=Never.'
  }
  const nominated = pod.status?.nominatedNodeName ?? ''
  if (nominated === '' || rejections.get(nominated)?.mayBeFreed === false) return undefined
  const node = attempt?.cluster.node(nominated)
  const leaving = [...(node?.pods.values() ?? [])].some(
    (one) => one.class.priority < own.priority && goesByPreemption(one),
  )
  return leaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined
}

function goesByPreemption({ pod: { metadata, status } }: PodInfo): boolean {
  if (metadata.deletionTimestamp === undefined) return false
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  return condition?.status === 'True' && condition.reason === 'PreemptionByScheduler'
}

function candidatesOf(
  attempt: Attempt,
  nodes: readonly NodeInfo[],
  results: Map<string, Rejection>,
  { random, now }: PreemptionOptions,
): readonly Candidate[] {
  const part = Math.trunc((nodes.length * percentageOfCandidates) / 100)
  const enough = Math.min(nodes.length, Math.max(leastCandidates, part))
  const offset = Math.floor(random() * nodes.length)
  const budgets = attempt.cluster.lookups.budgets()
  const [kind, violating]: [Candidate[], Candidate[]] = [[], []]
  for (let at = 0; at < nodes.length; at++) {
    if (kind.length > 0 && kind.length + violating.length >= enough) break
    const node = nodes[(offset + at) % nodes.length]!
    const result = victimsOn(attempt, node, budgets, now)
    if ('filter' in result) results.set(node.name, result)
    else (result.violations === 0 ? kind : violating).push(result)
  }
  return [...kind.slice(0, enough), ...violating.slice(0, enough)]
}

/** The fewest and least important pods without which the pod fits on a node, or why it does not without all of them. */
function victimsOn(
  attempt: Attempt,
  original: NodeInfo,
  budgets: readonly Stored<PodDisruptionBudget>[],
  now: number,
): Candidate | Rejection {
  const { info } = attempt
  const possible = [...original.pods.values()].filter(
    (one) => one.class.priority < info.class.priority,
  )
  if (possible.length === 0) {
    return unfit('NodeName', 'No preemption victims found for incoming pod')
  }
  const node = original.clone()
  const counts = cloneCounts(attempt.counts)
  const take = (one: PodInfo): void => {
    node.remove(one.pod.metadata.uid)
    changeCounts(counts, one, node, -1)
  }
  for (const one of possible) take(one)
  const rejection = rejectionBesideNominated(attempt, node, counts)
  if (rejection !== undefined) return rejection
  const important = [...possible].sort((a, b) => compareImportance(a, b, now))
  const { violating, others } = byBudgets(important, budgets)
  const isVictim = (one: PodInfo): boolean => {
    node.add(one)
    changeCounts(counts, one, node, 1)
    const fits = rejectionBesideNominated(attempt, node, counts) === undefined
    if (!fits) take(one)
    return !fits
  }
  const violations = violating.filter(isVictim)
  const victims = [...violations, ...others.filter(isVictim)]
  return {
    node: node.name,
    victims: victims.sort((a, b) => compareImportance(a, b, now)),
    violations: violations.length,
  }
}

/** Higher priorities first, then those that began first. */
function compareImportance(a: PodInfo, b: PodInfo, now: number): number {
  return b.class.priority - a.class.priority || startOf(a, now) - startOf(b, now)
}

function startOf({ pod }: PodInfo, now: number): number {
  return pod.status?.startTime === undefined ? now : Date.parse(pod.status.startTime)
}

/** Pods by whether a budget says that they stay. */
function byBudgets(
  pods: readonly PodInfo[],
  budgets: readonly Stored<PodDisruptionBudget>[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = new Map(budgets.map((one) => [one, one.status?.disruptionsAllowed ?? 0]))
  const [violating, others]: [PodInfo[], PodInfo[]] = [[], []]
  for (const one of pods) {
    let isViolated = false
    for (const budget of budgets) {
      if (!selects(budget, one)) continue
      const rest = left.get(budget)! - 1
      left.set(budget, rest)
      if (rest < 0) isViolated = true
    }
    ;(isViolated ? violating : others).push(one)
  }
  return { violating, others }
}

function selects(
  { metadata, spec, status }: Stored<PodDisruptionBudget>,
  { pod, class: { namespace, labels } }: PodInfo,
): boolean {
  if (metadata.namespace !== namespace || Object.keys(labels).length === 0) return false
  const requirements = spec?.selector && labelRequirementsOf(spec.selector)
  if (!requirements || requirements.length === 0 || !matchesLabels(requirements, labels))
    return false
  return !Object.hasOwn(status?.disruptedPods ?? {}, pod.metadata.name)
}

/** The fewest broken budgets, the least important victims, the fewest, and those that began last. */
function bestOf(candidates: readonly Candidate[], now: number): Candidate | undefined {
  const ranked = candidates.map((one) => ({ one, rank: rankOf(one, now) }))
  ranked.sort((a, b) => {
    const at = a.rank.findIndex((value, index) => value !== b.rank[index])
    return at < 0 ? 0 : a.rank[at]! - b.rank[at]!
  })
  return ranked[0]?.one
}

function rankOf({ victims, violations }: Candidate, now: number): readonly number[] {
  const priorities = victims.map((one) => one.class.priority)
  const highest = Math.max(...priorities)
  const sum = priorities.reduce((total, one) => total + one + 2 ** 31, 0)
  const important = victims.filter((one) => one.class.priority === highest)
  const earliest = Math.min(...important.map((one) => startOf(one, now)))
  return [violations, highest, sum, victims.length, -earliest]
}
