/** The two forms of an autoscaler's metric: what version 2 nests, version 1 spells out in names. */
import { equal } from '../kernel/equal.ts'
import { sourceFields } from './autoscaler-shapes.ts'

export type Tree = Readonly<Record<string, unknown>>
export type Part = 'target' | 'current'

/** The form of version 1, or the metric itself where that form cannot say all of it. */
export function olderMetric(metric: unknown, part: Part): unknown {
  if (!isTree(metric)) return metric
  const field = sourceFields.get(String(metric.type))
  const source = field === undefined ? undefined : metric[field]
  if (field === undefined || !isTree(source)) return metric
  const older = { ...metric, [field]: olderSource(field, source, part) }
  return equal(newerMetric(older, part), metric) ? older : metric
}

/** The form of version 2; a metric that has it already is left alone. */
export function newerMetric(metric: unknown, part: Part): unknown {
  if (!isTree(metric)) return metric
  const field = sourceFields.get(String(metric.type))
  const source = field === undefined ? undefined : metric[field]
  if (field === undefined || !isTree(source) || isTree(source[part])) return metric
  return { ...metric, [field]: newerSource(field, source, part) }
}

function olderSource(field: string, source: Tree, part: Part): Tree {
  const { value, averageValue, averageUtilization } = tree(source[part])
  const { name: metricName, selector } = tree(source.metric)
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

function newerSource(field: string, source: Tree, part: Part): Tree {
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

function typeOf(values: Tree): string {
  if (values.averageUtilization !== undefined) return 'Utilization'
  return values.averageValue === undefined ? 'Value' : 'AverageValue'
}

function present(fields: Tree): Tree {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function tree(value: unknown): Tree {
  return isTree(value) ? value : {}
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
