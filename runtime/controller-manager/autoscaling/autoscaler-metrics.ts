import type { MetricSpec } from '../../../generated/apis/autoscaling/v2/metrics.ts'
import type { Metrics } from '../../observe/observe.ts'

/** What was done, or asked for. */
export type ScaleAction = 'scale_up' | 'scale_down' | 'none'

/** Whose fault it is that something could not be done: of what the autoscaler asks for, or of anything else. */
export type Fault = 'spec' | 'internal'

/** Something that an autoscaler asks for and cannot be given. */
export class SpecError extends Error {}

/** How a look at an autoscaler, or at one of its metrics, ended. */
export interface LookResult {
  readonly action: ScaleAction
  readonly fault: Fault | undefined
  readonly ms: number
}

/** Counts of looks at autoscalers and at their metrics. */
export interface AutoscalerMetrics {
  looked(result: LookResult): void
  computed(type: MetricSpec['type'], result: LookResult): void
}

/** Counts under the names that dashboards of release 1.29 know. */
export function autoscalerMetrics(metrics: Metrics): AutoscalerMetrics {
  const prefix = 'horizontal_pod_autoscaler_controller'
  const looks = metrics.counter(`${prefix}_reconciliations_total`)
  const lookSeconds = metrics.histogram(`${prefix}_reconciliation_duration_seconds`)
  const computations = metrics.counter(`${prefix}_metric_computation_total`)
  const computationSeconds = metrics.histogram(`${prefix}_metric_computation_duration_seconds`)
  return {
    looked({ action, fault = 'none', ms }) {
      looks.add([action, fault])
      lookSeconds.observe([action, fault], ms / 1000)
    },
    computed(type, { action, fault = 'none', ms }) {
      computations.add([action, fault, type])
      computationSeconds.observe([action, fault, type], ms / 1000)
    },
  }
}

/** What it means to go from one number of pods to another. */
export function actionOf(from: number, to: number): ScaleAction {
  if (to === from) return 'none'
  return to > from ? 'scale_up' : 'scale_down'
}
