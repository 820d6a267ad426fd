/** Cells of HorizontalPodAutoscalers, of either version. */
import type { HorizontalPodAutoscaler } from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../generated/apis/autoscaling/v2/metrics.ts'
import type { Loose, LooseObject } from '../../kernel/walker/loose.ts'
import { newerAutoscaler } from '../autoscaling/autoscaler-v1.ts'
import { type MetricSourceField, metricSourceFields } from '../autoscaling/metrics.ts'
import { formatFirst } from './format.ts'

const unknown = '<unknown>'
const most = 2

/** `Deployment/web`. */
export function autoscalerReference({ spec }: LooseObject<HorizontalPodAutoscaler>): string {
  const { kind = '', name = '' } = spec?.scaleTargetRef ?? {}
  return `${kind}/${name}`
}

/** `20%/80%`: measured and wanted values of the first metrics. */
export function autoscalerTargets(object: LooseObject<HorizontalPodAutoscaler>): string {
  const { spec, status } = newerAutoscaler(object)
  const measured = status?.currentMetrics ?? []
  const targets = (spec?.metrics ?? []).map((metric, index) => printMetric(metric, measured[index]))
  return formatFirst(targets, most, ', ') || '<none>'
}

function printMetric(metric: Loose<MetricSpec>, measured: Loose<MetricStatus> | undefined): string {
  const field = metricSourceFields.get(metric.type ?? '')
  if (field === undefined) return '<unknown type>'
  const wanted = metric[field]?.target ?? {}
  const current = measured?.[field]?.current ?? {}
  const [now, target] = printValues(field, wanted, current)
  const perPod = (field === 'external' || field === 'object') && wanted.averageValue !== undefined
  return perPod ? `${now}/${target} (avg)` : `${now}/${target}`
}

function printValues(
  field: MetricSourceField,
  wanted: Loose<MetricTarget>,
  current: Loose<MetricValueStatus>,
): readonly [now: string, target: string] {
  if (wanted.averageValue !== undefined || field === 'pods') {
    return [current.averageValue ?? unknown, wanted.averageValue ?? '0']
  }
  if (field === 'object' || field === 'external') {
    return [current.value ?? unknown, wanted.value ?? '0']
  }
  const { averageUtilization: target } = wanted
  const { averageUtilization: now } = current
  return [now === undefined ? unknown : `${now}%`, target === undefined ? '<auto>' : `${target}%`]
}
