import {
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerCondition,
  type HorizontalPodAutoscalerStatus,
  horizontalPodAutoscalers,
} from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { formatKey, objectKey } from '../../informer/informer.ts'
import { type LabelRequirement, matchesLabels } from '../../kernel/meta/label-selector.ts'
import { parseLabelSelector } from '../../kernel/meta/label-selector-parser.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { KeyContext } from '../../reconcile/reconcile.ts'
import {
  type AutoscalerMetrics,
  actionOf,
  type Fault,
  type ScaleAction,
  SpecError,
} from './autoscaler-metrics.ts'
import { isSameStatus, nextStatus, type RunResult, withCondition } from './autoscaler-status.ts'
import type { ClaimedPods } from './claimed-pods.ts'
import { decideMetrics, type MetricsProposal } from './decide-metrics.ts'
import { evaluateMetric, type MetricOutcome } from './evaluate-metric.ts'
import type { SampleRules } from './group-pods.ts'
import {
  afterRescale,
  limitReplicas,
  type ScaleBounds,
  type ScaleHistory,
} from './limit-replicas.ts'
import { metricsReader } from './read-metrics.ts'
import { readTarget, type ScaleTarget, writeScale } from './scale-target.ts'

/** What is set for all autoscalers. */
export interface AutoscalerSettings extends Omit<SampleRules, 'resource'> {
  /** What groups of the platform end with. */
  readonly api: string
  readonly tolerance: number
  readonly downWindowMs: number
  readonly hasContainers: boolean
}

/** What a run works with. */
export interface AutoscalerRun {
  readonly context: KeyContext
  readonly claimed: ClaimedPods
  readonly settings: AutoscalerSettings
  readonly counts: AutoscalerMetrics
}

type Autoscaler = Stored<HorizontalPodAutoscaler>

/** Looks at an autoscaler once, and gives what is to be remembered of it. */
export async function runAutoscaler(
  autoscaler: Autoscaler,
  history: ScaleHistory | undefined,
  run: AutoscalerRun,
): Promise<ScaleHistory | undefined> {
  const { counts, context } = run
  const begun = context.clock.monotonic()
  const turn = new Turn(autoscaler, run)
  try {
    return await turn.take(history)
  } catch (error) {
    turn.fault ??= 'internal'
    throw error
  } finally {
    const { action, fault } = turn
    counts.looked({ action, fault, ms: context.clock.monotonic() - begun })
  }
}

/** One look at one autoscaler. */
class Turn {
  readonly #autoscaler: Autoscaler
  readonly #run: AutoscalerRun
  readonly #now: number
  readonly #at: number
  #conditions: readonly HorizontalPodAutoscalerCondition[]
  /** What was done about the number of pods. */
  action: ScaleAction = 'none'
  /** Whose fault the first thing is that could not be done. */
  fault: Fault | undefined

  constructor(autoscaler: Autoscaler, run: AutoscalerRun) {
    this.#autoscaler = autoscaler
    this.#run = run
    this.#now = run.context.clock.now()
    this.#at = run.context.clock.monotonic()
    this.#conditions = autoscaler.status?.conditions ?? []
  }

  async take(before: ScaleHistory | undefined): Promise<ScaleHistory | undefined> {
    const target = await this.#target()
    if (target === undefined) return before
    const current = target.scale.spec?.replicas ?? 0
    const first = [{ replicas: current, at: this.#at }]
    const history = before ?? { recommendations: first, ups: [], downs: [] }
    const bounds = this.#bounds()
    if (current === 0 && bounds.min !== 0) {
      const message = 'scaling is disabled since the replica count of the target is zero'
      this.#tell('ScalingActive', 'False', 'ScalingDisabled', message)
      const result = { current, desired: 0, metrics: undefined, rescaled: false }
      await this.#write(result)
      return history
    }
    const forced = forcedReplicas(current, bounds)
    if (forced !== undefined) {
      const { replicas, reason } = forced
      const plan = { current, desired: replicas, reason, metrics: undefined }
      return this.#rescale(target, plan, history, bounds)
    }
    return this.#follow(target, current, history, bounds)
  }

  /** Does what the metrics ask for. */
  async #follow(
    target: ScaleTarget,
    current: number,
    history: ScaleHistory,
    bounds: ScaleBounds,
  ): Promise<ScaleHistory> {
    const decided = await this.#metrics(target, current)
    const { metrics } = decided
    if (decided.is === 'failed') {
      await this.#write({ current, metrics, rescaled: false })
      this.#warn('FailedComputeMetricsReplicas', decided.message)
      return history
    }
    const limited = limitReplicas(decided.replicas, current, { bounds, history, at: this.#at })
    const { stabilized, limited: limit, replicas: desired } = limited
    this.#tell('AbleToScale', 'True', stabilized.reason, stabilized.message)
    this.#tell('ScalingLimited', limit.is ? 'True' : 'False', limit.reason, limit.message)
    const next = { ...history, recommendations: limited.recommendations }
    if (desired === current) {
      await this.#write({ current, desired, metrics, rescaled: false })
      return next
    }
    const { replicas, name } = decided
    const above = replicas > current ? `${name} above target` : ''
    const reason = replicas < current ? 'All metrics below target' : above
    return this.#rescale(target, { current, desired, reason, metrics }, next, bounds)
  }

  #bounds(): ScaleBounds {
    const { minReplicas: min = 1, maxReplicas: max = 0, behavior } = this.#autoscaler.spec ?? {}
    return { min, max, behavior, downWindowMs: this.#run.settings.downWindowMs }
  }

  async #target(): Promise<ScaleTarget | undefined> {
    const { spec, metadata } = this.#autoscaler
    try {
      const reference = spec?.scaleTargetRef ?? { kind: '', name: '' }
      const target = await readTarget(reference, metadata.namespace, this.#run.context)
      const message = "the HPA controller was able to get the target's current scale"
      this.#tell('AbleToScale', 'True', 'SucceededGetScale', message)
      return target
    } catch (error) {
      const { message } = error as Error
      this.fault ??= error instanceof SpecError ? 'spec' : 'internal'
      this.#warn('FailedGetScale', message)
      const why = `the HPA controller was unable to get the target's current scale: ${message}`
      this.#tell('AbleToScale', 'False', 'FailedGetScale', why)
      await this.#writeStatus({ desiredReplicas: 0, ...this.#autoscaler.status })
      return undefined
    }
  }

  async #metrics(target: ScaleTarget, current: number): Promise<MetricsProposal> {
    const selector = this.#selector(target.scale.status?.selector ?? '')
    if (typeof selector === 'string') {
      this.fault ??= 'internal'
      return { is: 'failed', message: selector, metrics: undefined }
    }
    const { context, settings, counts } = this.#run
    const { client, signal, cached, clock } = context
    const { namespace } = this.#autoscaler.metadata
    const outcomes: MetricOutcome[] = []
    for (const metric of this.#autoscaler.spec?.metrics ?? []) {
      const begun = clock.monotonic()
      const outcome = await evaluateMetric(metric, {
        ...{ namespace, selector, hasContainers: settings.hasContainers },
        reader: metricsReader({ client, api: settings.api, namespace, signal }),
        pods: cached(pods)
          .index('namespace', namespace)
          .filter(({ metadata }) => matchesLabels(selector, metadata.labels)),
        scale: target.scale,
        rules: { ...settings, now: this.#now },
      })
      const isFailed = outcome.is === 'failed'
      const fault = isFailed ? outcome.fault : undefined
      const action = isFailed ? 'none' : actionOf(current, outcome.replicas)
      counts.computed(metric.type, { action, fault, ms: clock.monotonic() - begun })
      if (isFailed) this.#warn(outcome.reason, outcome.message)
      if (isFailed) this.fault ??= 'internal'
      outcomes.push(outcome)
    }
    const { condition, ...proposal } = decideMetrics(outcomes, current)
    this.#tell('ScalingActive', ...condition)
    return proposal
  }

  /** What selects the pods; or why it could not be told. */
  #selector(text: string): readonly LabelRequirement[] | string {
    const { claimed, context } = this.#run
    if (text === '') {
      this.#warn('SelectorRequired', 'selector is required')
      const message = "the HPA target's scale is missing a selector"
      this.#tell('ScalingActive', 'False', 'InvalidSelector', message)
      return 'selector is required'
    }
    const refuse = (reason: string, message: string): string => {
      this.#warn(reason, message)
      this.#tell('ScalingActive', 'False', reason, message)
      return message
    }
    let requirements: readonly LabelRequirement[]
    try {
      requirements = parseLabelSelector(text)
    } catch (error) {
      const why = (error as Error).message
      return refuse(
        'InvalidSelector',
        `couldn't convert selector into a corresponding internal selector object: ${why}`,
      )
    }
    const { namespace, name } = this.#autoscaler.metadata
    claimed.claim(formatKey(objectKey(this.#autoscaler)), { namespace, name, requirements })
    const selected = context
      .cached(pods)
      .index('namespace', namespace)
      .filter(({ metadata }) => matchesLabels(requirements, metadata.labels))
    const claimants = claimed.claimants(namespace, selected)
    if (claimants.length < 2) return requirements
    const names = claimants.map((one) => `${one.namespace}/${one.name}`).join(' ')
    return refuse(
      'AmbiguousSelector',
      `pods by selector ${text} are controlled by multiple HPAs: [${names}]`,
    )
  }

  async #rescale(
    target: ScaleTarget,
    {
      current,
      desired,
      reason,
      metrics,
    }: {
      readonly current: number
      readonly desired: number
      readonly reason: string
      readonly metrics: HorizontalPodAutoscalerStatus['currentMetrics']
    },
    history: ScaleHistory,
    bounds: ScaleBounds,
  ): Promise<ScaleHistory> {
    const { context } = this.#run
    const size = `New size: ${desired}; reason: ${reason}`
    try {
      await writeScale(target, desired, context.signal)
    } catch (error) {
      const { message } = error as Error
      this.fault ??= 'internal'
      this.#warn('FailedRescale', `${size}; error: ${message}`)
      const why = `the HPA controller was unable to update the target scale: ${message}`
      this.#tell('AbleToScale', 'False', 'FailedUpdateScale', why)
      await this.#write({ current, metrics, rescaled: false })
      return history
    }
    this.action = actionOf(current, desired)
    const message = `the HPA controller was able to update the target scale to ${desired}`
    this.#tell('AbleToScale', 'True', 'SucceededRescale', message)
    context.event(this.#autoscaler, { type: 'Normal', reason: 'SuccessfulRescale', message: size })
    await this.#write({ current, desired, metrics, rescaled: true })
    return afterRescale(history, bounds, { from: current, to: desired, at: this.#at })
  }

  #tell(type: string, status: 'True' | 'False', reason: string, message: string): void {
    this.#conditions = withCondition(this.#conditions, { type, status, reason, message }, this.#now)
  }

  #warn(reason: string, message: string): void {
    this.#run.context.event(this.#autoscaler, { type: 'Warning', reason, message })
  }

  async #write(result: Omit<RunResult, 'conditions'>): Promise<void> {
    const all = { ...result, conditions: this.#conditions }
    await this.#writeStatus(nextStatus(this.#autoscaler, all, this.#now))
  }

  /** What cannot be written now is written the next time, since it is worked out anew. */
  async #writeStatus(given: HorizontalPodAutoscalerStatus): Promise<void> {
    const status = { ...given, conditions: this.#conditions }
    if (isSameStatus(this.#autoscaler.status, status)) return
    const { client, signal } = this.#run.context
    try {
      const next = { ...this.#autoscaler, status }
      await client.resource(horizontalPodAutoscalers).updateStatus(next, {}, signal)
    } catch (error) {
      this.fault ??= 'internal'
      this.#warn('FailedUpdateStatus', (error as Error).message)
    }
  }
}

/** The number of pods where the present one is out of bounds. */
function forcedReplicas(current: number, { min, max }: ScaleBounds) {
  if (current > max)
    return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas' }
  if (current < min)
    return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas' }
  return undefined
}
