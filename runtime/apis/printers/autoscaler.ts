/** What lists of HorizontalPodAutoscalers show. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import {
  type Autoscaler,
  type Metric,
  type MetricValue,
  metricSourceFields,
  type SourceField,
} from '../autoscaling/autoscaler-shapes.ts'
import { newerAutoscaler } from '../autoscaling/autoscaler-v1.ts'
import { formatFirst } from './format.ts'

const unknown = '<unknown>'
const most = 2

/** `Deployment/web`. */
export function autoscalerReference(object: ApiObject): string {
  const { kind = '', name = '' } = (object as Autoscaler).spec?.scaleTargetRef ?? {}
  return `${kind}/${name}`
}

/** `20%/80%`: measured and wanted values of the first metrics. */
export function autoscalerTargets(object: ApiObject): string {
  const { spec, status } = newerAutoscaler(object)
  const measured = status?.currentMetrics ?? []
  const targets = (spec?.metrics ?? []).map((metric, index) => printMetric(metric, measured[index]))
  return formatFirst(targets, most, ', ') || '<none>'
}

function printMetric(metric: Metric, measured: Metric | undefined): string {
  const field = metricSourceFields.get(metric.type ?? '')
  if (field === undefined) return '<unknown type>'
  const wanted = metric[field]?.target ?? {}
  const current = measured?.[field]?.current ?? {}
  const [now, target] = printValues(field, wanted, current)
  const perPod = (field === 'external' || field === 'object') && wanted.averageValue !== undefined
  return perPod ? `${now}/${target} (avg)` : `${now}/${target}`
}

function printValues(
  field: SourceField,
  wanted: MetricValue,
  current: MetricValue,
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
