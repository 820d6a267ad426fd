/** What a schema cannot say of the metrics of an autoscaler. */
import type { MetricSpec, MetricTarget } from '../../../generated/apis/autoscaling/v2/metrics.ts'
import { dnsLabelProblems, referenceProblems } from '../../kernel/meta/names.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import { sizeProblems } from '../core/volume/volume-checks.ts'
import { containerNameProblems, shownName } from '../types/resource-names.ts'

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

const types = [...metricSourceFields.keys()].sort()
const targetTypes = ['Utilization', 'Value', 'AverageValue']

/** The order in which sources are looked at: only the first that is there is judged. */
const sourceOrder = ['object', 'external', 'pods', 'resource', 'containerResource'] as const

/**
 * A metric has the source that its type names and no other, and a target that suits it. The type is told again after the
 * source that is there, as the public server does.
 */
export const checkMetric: Check<MetricSpec> = (metric) => {
  const { type = '' } = metric.value
  const own = metricSourceFields.get(type)
  const present = sourceOrder.filter((key) => metric.value[key] !== undefined)
  const [first] = present
  if (type === '') metric.required('type', 'must specify a metric source type')
  if (own === undefined) metric.unsupported('type', types, type)
  if (first !== undefined) checkSource(metric, first)
  metric.afterwards(() => checkOwnSource(metric, own, present))
}

/** The source that the type names is there, and no other. */
function checkOwnSource(
  metric: Field<MetricSpec>,
  own: MetricSourceField | undefined,
  present: readonly MetricSourceField[],
): void {
  if (own === undefined) metric.unsupported('type', types, metric.value.type ?? '')
  else if (metric.value[own] === undefined) {
    metric.required(own, 'must populate information for the given metric source')
  }
  if (present.length === 1) return
  for (const other of present) {
    if (other !== own) metric.forbidden(other, 'must populate the given metric source only')
  }
}

/** The names of a source, then its target, then which values of the target are there. */
function checkSource(metric: Field<MetricSpec>, key: MetricSourceField): void {
  const at = (path: string) => `${key}.${path}` as const
  if (key === 'object') {
    checkName(metric, at('describedObject.kind'), '', referenceProblems)
    checkName(metric, at('describedObject.name'), '', referenceProblems)
  }
  if (key === 'resource' || key === 'containerResource') {
    const name = valueAtPath(metric.value, at('name'))
    if (typeof name !== 'string' || name === '') {
      metric.required(at('name'), 'must specify a resource name')
    } else if (key === 'containerResource') {
      metric.invalidAll(at('name'), containerNameProblems(name, metric.domain), shownName(name))
    }
  } else checkName(metric, at('metric.name'), 'must specify a metric name', referenceProblems)
  if (key === 'containerResource') {
    checkName(metric, at('container'), 'must specify a container', dnsLabelProblems)
  }
  const target = (metric.child(key) as Field<{ readonly target: MetricTarget }>).child('target')
  checkTarget(target)
  checkChoice(target, key)
}

/** A name is there and has its form. */
function checkName(
  metric: Field<MetricSpec>,
  path: `${MetricSourceField}.${string}`,
  missing: string,
  problemsOf: (name: string) => readonly string[],
): void {
  const name = valueAtPath(metric.value, path)
  if (!name) metric.required(path, missing || undefined)
  else metric.checkText(path, problemsOf)
}

/**
 * The type of a target, then its values. Shares are in percent and have no upper bound: pods may use more than they ask for.
 * Amounts are more than zero.
 */
function checkTarget(target: Field<MetricTarget>): void {
  const { averageUtilization: share, type = '' } = target.value
  if (type === '') target.required('type', 'must specify a metric target type')
  if (!targetTypes.includes(type)) {
    target.invalid('type', 'must be either Utilization, Value, or AverageValue', type)
  }
  for (const key of ['value', 'averageValue'] as const) {
    if (sizeProblems(target.value[key] ?? '').length > 0) target.invalid(key, 'must be positive')
  }
  if (share !== undefined && share < 1) {
    target.invalid('averageUtilization', 'must be greater than 0')
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
