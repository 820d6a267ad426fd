/** What becomes of a proposal: it waits for its window, and is kept within the rates and bounds of the autoscaler. */
import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
} from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'

/** A number of pods that was proposed. */
export interface Recommendation {
  readonly replicas: number
  /** Milliseconds of a clock that never goes back. */
  readonly at: number
}

/** By how many pods the number was changed. */
export interface Rescale {
  readonly change: number
  readonly at: number
}

/** What is remembered of an autoscaler. */
export interface ScaleHistory {
  readonly recommendations: readonly Recommendation[]
  readonly ups: readonly Rescale[]
  readonly downs: readonly Rescale[]
}

/** What limits the number of pods. */
export interface ScaleBounds {
  readonly min: number
  readonly max: number
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined
  /** How far back recommendations count before pods are taken away, where the behavior does not say. */
  readonly downWindowMs: number
}

/** Why the number is what it is, for a condition. */
export interface LimitReason {
  readonly reason: string
  readonly message: string
}

/** The number of pods that there is to be. */
export interface LimitedReplicas {
  readonly replicas: number
  /** Whether earlier recommendations held it back. */
  readonly stabilized: LimitReason
  readonly limited: LimitReason & { readonly is: boolean }
  readonly recommendations: readonly Recommendation[]
}

const ready: LimitReason = {
  reason: 'ReadyForNewScale',
  message: 'recommended size matches current size',
}
const stabilizedDown: LimitReason = {
  reason: 'ScaleDownStabilized',
  message:
    'recent recommendations were higher than current one, applying the highest recent recommendation',
}
const stabilizedUp: LimitReason = {
  reason: 'ScaleUpStabilized',
  message:
    'recent recommendations were lower than current one, applying the lowest recent recommendation',
}
const within: LimitReason = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
}
const limits = {
  upRate: ['ScaleUpLimit', 'increasing faster than the maximum scale rate'],
  downRate: ['ScaleDownLimit', 'decreasing faster than the maximum scale rate'],
  most: ['TooManyReplicas', 'more than the maximum replica count'],
  least: ['TooFewReplicas', 'less than the minimum replica count'],
} as const

function limitReason(limit: keyof typeof limits): LimitReason {
  const [reason, why] = limits[limit]
  return { reason, message: `the desired replica count is ${why}` }
}

/** Without a behavior the number at most doubles at a time, or becomes this. */
const leastUpLimit = 4

/** Limits what was proposed, of autoscalers with and without a behavior. */
export function limitReplicas(
  proposed: number,
  current: number,
  { bounds, history, at }: { bounds: ScaleBounds; history: ScaleHistory; at: number },
): LimitedReplicas {
  const { replicas: stable, why } = stabilized(proposed, current, { bounds, history, at })
  const ranged =
    bounds.behavior === undefined
      ? boundedPlainly(stable, current, bounds)
      : boundedByRate(stable, current, { bounds, history, at })
  const longestMs = Math.max(windowMs(bounds, 'scaleUp'), windowMs(bounds, 'scaleDown'))
  const kept = history.recommendations.filter((one) => one.at >= at - longestMs)
  return {
    replicas: ranged.replicas,
    stabilized: stable === proposed ? ready : why,
    limited: { is: ranged.replicas !== stable, ...ranged.why },
    recommendations: [...kept, { replicas: proposed, at }],
  }
}

function windowMs(
  { behavior, downWindowMs }: ScaleBounds,
  direction: 'scaleUp' | 'scaleDown',
): number {
  const seconds = behavior?.[direction]?.stabilizationWindowSeconds
  if (seconds !== undefined) return seconds * 1000
  return direction === 'scaleUp' ? 0 : downWindowMs
}

interface Ranged {
  readonly replicas: number
  readonly why: LimitReason
}

/** The number that recommendations of the windows allow. */
function stabilized(
  proposed: number,
  current: number,
  { bounds, history, at }: { bounds: ScaleBounds; history: ScaleHistory; at: number },
): Ranged {
  const { recommendations } = history
  const recent = (since: number) =>
    recommendations.filter((one) => one.at > since).map(({ replicas }) => replicas)
  const downSince = at - windowMs(bounds, 'scaleDown')
  if (bounds.behavior === undefined) {
    const kept = recommendations.filter((one) => one.at >= downSince)
    const replicas = Math.max(proposed, ...kept.map((one) => one.replicas))
    return { replicas, why: stabilizedDown }
  }
  const lowest = Math.min(proposed, ...recent(at - windowMs(bounds, 'scaleUp')))
  const highest = Math.max(proposed, ...recent(downSince))
  const replicas = Math.min(Math.max(current, lowest), highest)
  return { replicas, why: proposed >= current ? stabilizedUp : stabilizedDown }
}

function boundedPlainly(desired: number, current: number, { min, max }: ScaleBounds): Ranged {
  const rate = Math.max(2 * current, leastUpLimit)
  const most = Math.min(max, rate)
  if (desired < min) return { replicas: min, why: limitReason('least') }
  if (desired > most) {
    return { replicas: most, why: limitReason(max > rate ? 'upRate' : 'most') }
  }
  return { replicas: desired, why: within }
}

function boundedByRate(
  desired: number,
  current: number,
  { bounds, history, at }: { bounds: ScaleBounds; history: ScaleHistory; at: number },
): Ranged {
  const { min, max, behavior } = bounds
  if (desired > current) {
    const rate = Math.max(current, rateLimit(current, behavior?.scaleUp, 'up', history, at))
    const most = Math.min(max, rate)
    if (desired > most) return { replicas: most, why: limitReason(max > rate ? 'upRate' : 'most') }
  }
  if (desired < current) {
    const rate = Math.min(current, rateLimit(current, behavior?.scaleDown, 'down', history, at))
    const least = Math.max(min, rate)
    if (desired < least)
      return { replicas: least, why: limitReason(min < rate ? 'downRate' : 'least') }
  }
  return { replicas: desired, why: within }
}

/** The furthest that the policies of one direction allow. */
function rateLimit(
  current: number,
  rules: HPAScalingRules | undefined,
  direction: 'up' | 'down',
  { ups, downs }: ScaleHistory,
  at: number,
): number {
  const { selectPolicy = 'Max', policies = [] } = rules ?? {}
  if (selectPolicy === 'Disabled') return current
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const changed = (all: readonly Rescale[]) => changeWithin(all, periodSeconds, at)
    const begin = current - changed(ups) + changed(downs)
    if (type === 'Pods') return direction === 'up' ? begin + value : begin - value
    return direction === 'up'
      ? Math.ceil(begin * (1 + value / 100))
      : Math.trunc(begin * (1 - value / 100))
  })
  const isHighest = (selectPolicy === 'Min') === (direction === 'down')
  return isHighest ? Math.max(...limits) : Math.min(...limits)
}

function changeWithin(all: readonly Rescale[], periodSeconds: number, at: number): number {
  return all
    .filter((one) => one.at > at - periodSeconds * 1000)
    .reduce((sum, { change }) => sum + change, 0)
}

/** The history after the number of pods was changed. Changes are remembered for as long as a policy looks back. */
export function afterRescale(
  history: ScaleHistory,
  { behavior }: Pick<ScaleBounds, 'behavior'>,
  { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
): ScaleHistory {
  if (behavior === undefined) return history
  const policies = [behavior.scaleUp, behavior.scaleDown].flatMap((one) => one?.policies ?? [])
  const since = at - 1000 * Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds))
  const kept = (all: readonly Rescale[]) => all.filter((one) => one.at >= since)
  const [ups, downs] = [kept(history.ups), kept(history.downs)]
  const rescale = { change: Math.abs(to - from), at }
  return to > from
    ? { ...history, ups: [...ups, rescale], downs }
    : { ...history, ups, downs: [...downs, rescale] }
}
