/** How many pods a metric asks for: pure arithmetic over what was measured. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { isReady } from '../pods/pod-state.ts'
import { groupPods, type PodMetrics, type SampleRules } from './group-pods.ts'
import { milliOf } from './milli.ts'

/** What a proposal is made with. */
export interface ProposalRules extends SampleRules {
  /** How far a ratio must be from one before anything changes. */
  readonly tolerance: number
  readonly now: number
}

/** What a metric asks for. */
export interface Proposal {
  readonly replicas: number
  /** What the metric is now, in thousandths: of a pod on average, or as a whole. */
  readonly usage: number
  /** In per cent of what pods request, where that was asked for. */
  readonly utilization?: number
}

/** The pods that are scaled, how many there should be, and what was measured of them. */
export interface Measured {
  readonly pods: readonly Stored<Pod>[]
  readonly current: number
  readonly metrics: PodMetrics
}

/** How what is used compares with what is wanted. */
interface Usage {
  readonly ratio: number
  readonly usage: number
  readonly utilization?: number
}

/** What stands in for samples that are missing where pods would be taken away, by the name of the pod. */
type Fallback = (pod: string) => number

/** For a target of so many per cent of what the pods, or one container of each, request. */
export function proposeByUtilization(
  measured: Measured,
  target: { readonly percent: number; readonly resource: string; readonly container?: string },
  rules: ProposalRules,
): Proposal {
  const requests = once(() => podRequestsOf(measured.pods, target))
  const fallback: Fallback = (pod) =>
    Math.trunc(((requests().get(pod) ?? 0) * Math.max(100, target.percent)) / 100)
  return propose(measured, rules, fallback, (metrics) =>
    utilizationOf(metrics, requests(), target.percent),
  )
}

/** For a target of so many thousandths for each pod. */
export function proposeByAverage(
  measured: Measured,
  target: number,
  rules: ProposalRules,
): Proposal {
  return propose(
    measured,
    rules,
    () => target,
    (metrics) => {
      const total = [...metrics.values()].reduce((sum, one) => sum + one, 0)
      const usage = Math.trunc(total / metrics.size)
      return { ratio: usage / target, usage }
    },
  )
}

function propose(
  { pods, current, metrics }: Measured,
  rules: ProposalRules,
  fallback: Fallback,
  usageOf: (values: ReadonlyMap<string, number>) => Usage,
): Proposal {
  if (pods.length === 0) throw noPods()
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, rules, rules.now)
  const values = new Map([...metrics].map(([name, { value }]) => [name, value]))
  for (const name of [...ignored, ...unready]) values.delete(name)
  if (values.size === 0)
    throw new Error('did not receive metrics for targeted pods (pods might be unready)')
  const { ratio, ...usage } = usageOf(values)
  const proposal = (replicas: number): Proposal => ({ replicas, ...usage })
  const growsUnready = unready.length > 0 && ratio > 1
  if (!growsUnready && missing.length === 0) {
    return proposal(isNear(ratio, rules) ? current : Math.ceil(ratio * ready))
  }
  if (ratio !== 1) for (const name of missing) values.set(name, ratio < 1 ? fallback(name) : 0)
  if (growsUnready) for (const name of unready) values.set(name, 0)
  const { ratio: next } = usageOf(values)
  const turns = (ratio < 1 && next > 1) || (ratio > 1 && next < 1)
  if (isNear(next, rules) || turns) return proposal(current)
  const replicas = Math.ceil(next * values.size)
  const turnsBack = (next < 1 && replicas > current) || (next > 1 && replicas < current)
  return proposal(turnsBack ? current : replicas)
}

/** For a target of so many thousandths for all pods together. */
export function proposeByTotal(
  { pods, current }: Pick<Measured, 'pods' | 'current'>,
  { usage, target }: { readonly usage: number; readonly target: number },
  { tolerance }: Pick<ProposalRules, 'tolerance'>,
): Proposal {
  const ratio = usage / target
  if (current === 0) return { replicas: Math.ceil(ratio), usage }
  if (isNear(ratio, { tolerance })) return { replicas: current, usage }
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${noPods().message}`)
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod))
  return { replicas: Math.ceil(ratio * ready.length), usage }
}

/** For a target of so many thousandths of a metric for each of the pods that there are. */
export function proposeByShare(
  present: number,
  { usage, target }: { readonly usage: number; readonly target: number },
  rules: Pick<ProposalRules, 'tolerance'>,
): Proposal {
  const isEnough = isNear(usage / (target * present), rules)
  return {
    replicas: isEnough ? present : Math.ceil(usage / target),
    usage: present === 0 ? 0 : Math.ceil(usage / present),
  }
}

function isNear(ratio: number, { tolerance }: Pick<ProposalRules, 'tolerance'>): boolean {
  return Math.abs(1 - ratio) <= tolerance
}

function noPods(): Error {
  return new Error('no pods returned by selector while calculating replica count')
}

function utilizationOf(
  values: ReadonlyMap<string, number>,
  requests: ReadonlyMap<string, number>,
  target: number,
): Usage {
  const known = [...values].filter(([name]) => requests.has(name))
  const used = known.reduce((sum, [, value]) => sum + value, 0)
  const requested = known.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0)
  if (requested === 0) throw new Error('no metrics returned matched known pods')
  const utilization = Number((BigInt(used) * 100n) / BigInt(requested))
  return { ratio: utilization / target, utilization, usage: Math.trunc(used / known.length) }
}

/** What the containers and sidecars of each pod request of a resource, in thousandths. */
function podRequestsOf(
  pods: readonly Stored<Pod>[],
  { resource, container }: { readonly resource: string; readonly container?: string },
): ReadonlyMap<string, number> {
  return new Map(
    pods.map(({ metadata, spec }) => {
      const sidecars = spec?.initContainers?.filter((one) => one.restartPolicy === 'Always') ?? []
      const containers = [...(spec?.containers ?? []), ...sidecars].filter(
        ({ name }) => container === undefined || container === name,
      )
      const amounts = containers.map(({ name, resources }) => {
        const amount = resources?.requests?.[resource]
        if (amount === undefined)
          throw new Error(
            `missing request for ${resource} in container ${name} of Pod ${metadata.name}`,
          )
        return milliOf(amount)
      })
      return [metadata.name, amounts.reduce((sum, one) => sum + one, 0)]
    }),
  )
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
