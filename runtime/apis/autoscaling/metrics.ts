/** What a schema cannot say of the metrics of an autoscaler. */

import type { FieldError } from '../../kernel/validation/field-error.ts'
import { parseQuantity } from '../../kernel/values/quantity.ts'
import { forbidden, invalid, required } from '../types/field-errors.ts'
import {
  type Metric,
  type MetricSource,
  type MetricTarget,
  metricSourceFields,
  type SourceField,
} from './autoscaler-shapes.ts'

/** Each metric has the source that its type names and no other, and a target that suits it. */
export function checkMetrics(path: string, metrics: readonly Metric[]): readonly FieldError[] {
  return metrics.flatMap((metric, index) => {
    const at = `${path}[${index}]`
    const field = metricSourceFields.get(metric.type ?? '')
    if (field === undefined) return []
    const source = metric[field]
    const others = [...metricSourceFields.values()].filter(
      (each) => each !== field && metric[each] !== undefined,
    )
    return [
      ...others.map((each) =>
        forbidden(`${at}.${each}`, 'must populate the given metric source only'),
      ),
      ...(source === undefined
        ? [required(`${at}.${field}`, 'must populate information for the given metric source')]
        : checkSource(`${at}.${field}`, field, source)),
    ]
  })
}

function checkSource(
  path: string,
  field: SourceField,
  source: MetricSource,
): readonly FieldError[] {
  const target = source.target ?? {}
  return [...checkValues(`${path}.target`, target), ...checkChoice(`${path}.target`, field, target)]
}

function checkValues(path: string, target: MetricTarget): readonly FieldError[] {
  const { averageUtilization: share } = target
  return [
    ...(share !== undefined && share < 1
      ? [invalid(`${path}.averageUtilization`, share, 'must be greater than 0')]
      : []),
    ...(['value', 'averageValue'] as const).flatMap((field) =>
      isPositive(target[field])
        ? []
        : [invalid(`${path}.${field}`, target[field], 'must be positive')],
    ),
  ]
}

function isPositive(text: string | undefined): boolean {
  const amount = text === undefined ? undefined : parseQuantity(text)
  return amount === undefined || (!amount.negative && amount.nanos > 0n)
}

/** Which of the values a source needs, and which exclude each other. */
function checkChoice(
  path: string,
  field: SourceField,
  target: MetricTarget,
): readonly FieldError[] {
  const { value, averageValue, averageUtilization } = target
  const [one, average, share] = [value, averageValue, averageUtilization].map(
    (each) => each !== undefined,
  )
  switch (field) {
    case 'resource':
    case 'containerResource':
      if (!average && !share) {
        const why = 'must set either a target raw value or a target utilization'
        return [required(`${path}.averageUtilization`, why)]
      }
      return average && share
        ? [
            forbidden(
              `${path}.averageValue`,
              'may not set both a target raw value and a target utilization',
            ),
          ]
        : []
    case 'pods':
      return average
        ? []
        : [required(`${path}.averageValue`, 'must specify a positive target averageValue')]
    case 'object':
      return one || average
        ? []
        : [required(`${path}.averageValue`, 'must set either a target value or averageValue')]
    case 'external':
      return checkExternal(path, one === true, average === true)
  }
}

function checkExternal(path: string, one: boolean, average: boolean): readonly FieldError[] {
  if (one && average) {
    const why = 'may not set both a target value for metric and a per-pod target'
    return [forbidden(`${path}.value`, why)]
  }
  if (one || average) return []
  const why = 'must set either a target value for metric or a per-pod target'
  return [required(`${path}.averageValue`, why)]
}
