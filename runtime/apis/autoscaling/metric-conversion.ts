/** The two forms of an autoscaler's metric: what version 2 nests, version 1 spells out in names. */
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { metricSourceFields } from './metrics.ts'

/** An object of which only some fields are known. */
export type JsonObject = Readonly<Record<string, unknown>>
/** Where a metric has its values: wanted ones in a specification, measured ones in a status. */
export type MetricPart = 'target' | 'current'

/**
 * The form of version 1, or the metric itself where that form cannot say all of it.
 * It converts there and back, and keeps the metric of version 2 in the list if the two differ: so
 * no field is lost that only that version has.
 */
export function toV1Metric(metric: unknown, part: MetricPart): unknown {
  if (!isObject(metric)) return metric
  const field = metricSourceFields.get(String(metric.type))
  const source = field === undefined ? undefined : metric[field]
  if (field === undefined || !isObject(source)) return metric
  const older = { ...metric, [field]: toV1Source(field, source, part) }
  return deepEqual(toV2Metric(older, part), metric) ? older : metric
}

/** The form of version 2; a metric that has it already is left alone. */
export function toV2Metric(metric: unknown, part: MetricPart): unknown {
  if (!isObject(metric)) return metric
  const field = metricSourceFields.get(String(metric.type))
  const source = field === undefined ? undefined : metric[field]
  if (field === undefined || !isObject(source) || isObject(source[part])) return metric
  return { ...metric, [field]: toV2Source(field, source, part) }
}

/**
 * Names of the older form differ by source: an object has `averageValue` without a prefix, an
 * external metric `metricSelector`, and only the two of resources have a share.
 */
function toV1Source(field: string, source: JsonObject, part: MetricPart): JsonObject {
  const { value, averageValue, averageUtilization } = asObject(source[part])
  const { name: metricName, selector } = asObject(source.metric)
  const average = part === 'target' ? 'targetAverage' : 'currentAverage'
  const own = field === 'external' ? 'metricSelector' : 'selector'
  // Only what the older form has a name for: `olderMetric` sees what is left out.
  const whole = field === 'object' || field === 'external'
  const shared = field === 'resource' || field === 'containerResource'
  const measured = {
    ...(shared && { [`${average}Utilization`]: averageUtilization }),
    [field === 'object' ? 'averageValue' : `${average}Value`]: averageValue,
    ...(whole && { [part === 'target' ? 'targetValue' : 'currentValue']: value }),
  }
  const { name, container, describedObject: target } = source
  return present({ name, container, target, metricName, [own]: selector, ...measured })
}

/**
 * The inverse of `toV1Source`. The type of a target is not written in the older form, so it follows
 * from the value that is there.
 */
function toV2Source(field: string, source: JsonObject, part: MetricPart): JsonObject {
  const average = part === 'target' ? 'targetAverage' : 'currentAverage'
  const values = present({
    value: source[part === 'target' ? 'targetValue' : 'currentValue'],
    averageValue: source[field === 'object' ? 'averageValue' : `${average}Value`],
    averageUtilization: source[`${average}Utilization`],
  })
  const selector = source[field === 'external' ? 'metricSelector' : 'selector']
  const metric = present({ name: source.metricName, selector })
  const { name, container, target } = source
  return present({
    describedObject: field === 'object' ? target : undefined,
    name,
    [part]: part === 'target' ? { type: typeOf(values), ...values } : values,
    container,
    metric: Object.keys(metric).length === 0 ? undefined : metric,
  })
}

/** A share wins over an amount for each pod, and that over a whole amount. */
function typeOf(values: JsonObject): string {
  if (values.averageUtilization !== undefined) return 'Utilization'
  return values.averageValue === undefined ? 'Value' : 'AverageValue'
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
