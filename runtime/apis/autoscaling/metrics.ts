/** What a schema cannot say of the metrics of an autoscaler. */
import type { MetricSpec, MetricTarget } from '../../../generated/apis/autoscaling/v2/metrics.ts'
import { dnsLabelProblems, pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import { sizeProblems } from '../core/volume/volume-checks.ts'
import { containerNameProblems } from '../types/resource-names.ts'

/** The field in which a metric has its source. */
export type MetricSourceField = Exclude<keyof MetricSpec, 'type'>

/** The source that a metric's type names: the field of that name. */
export const metricSourceFields: ReadonlyMap<string, MetricSourceField> = new Map([
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
] as const)

/**
 * A metric has the source that its type names and no other, and a target that suits it.
 * An unknown type is the error of the schema alone. Other sources come first, then the missing one,
 * then the values of the target, and at last which of them are there.
 */
export const checkMetric: Check<MetricSpec> = (metric) => {
  const key = metricSourceFields.get(metric.value.type ?? '')
  if (key === undefined) return
  for (const other of metricSourceFields.values()) {
    if (other === key || metric.value[other] === undefined) continue
    metric.forbidden(other, 'must populate the given metric source only')
  }
  if (metric.value[key] === undefined) {
    return metric.required(key, 'must populate information for the given metric source')
  }
  const target = (metric.child(key) as Field<{ readonly target: MetricTarget }>).child('target')
  checkNames(metric)
  checkValues(target)
  checkChoice(target, key)
}

/** Names of metrics and objects are parts of paths. */
function checkNames(metric: Field<MetricSpec>): void {
  for (const key of ['object', 'pods', 'external'] as const) {
    metric.checkText(`${key}.metric.name`, pathSegmentProblems)
  }
  metric.checkText('object.describedObject.kind', pathSegmentProblems)
  metric.checkText('object.describedObject.name', pathSegmentProblems)
  metric.checkText('containerResource.container', dnsLabelProblems)
  metric.checkText('containerResource.name', containerNameProblems)
}

/**
 * Shares are in percent and have no upper bound: pods may use more than they ask for. Amounts are
 * more than zero.
 */
function checkValues(target: Field<MetricTarget>): void {
  const { averageUtilization: share } = target.value
  if (share !== undefined && share < 1)
    target.invalid('averageUtilization', 'must be greater than 0')
  for (const key of ['value', 'averageValue'] as const) {
    if (sizeProblems(target.value[key] ?? '').length > 0) target.invalid(key, 'must be positive')
  }
}

/**
 * Which of the values a source needs, and which exclude each other.
 * Resources take an average amount or a share and not both; pods take an average amount; an object
 * takes a whole or an average amount and may have both; an external metric takes exactly one of the
 * two.
 */
function checkChoice(target: Field<MetricTarget>, key: MetricSourceField) {
  const { value, averageValue, averageUtilization: share } = target.value
  const [one, average] = [value !== undefined, averageValue !== undefined]
  switch (key) {
    case 'resource':
    case 'containerResource': {
      const what = 'set either a target raw value or a target utilization'
      if (!average && share === undefined) target.required('averageUtilization', `must ${what}`)
      if (!average || share === undefined) return
      const both = 'may not set both a target raw value and a target utilization'
      return target.forbidden('averageValue', both)
    }
    case 'pods':
      if (average) return
      return target.required('averageValue', 'must specify a positive target averageValue')
    case 'object':
      if (one || average) return
      return target.required('averageValue', 'must set either a target value or averageValue')
    case 'external':
      if (one && average) {
        const both = 'may not set both a target value for metric and a per-pod target'
        target.forbidden('value', both)
      } else if (!one && !average) {
        const why = 'must set either a target value for metric or a per-pod target'
        target.required('averageValue', why)
      }
  }
}
