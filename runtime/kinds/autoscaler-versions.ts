/**
 * Autoscalers in the version that knows only one metric, the use of CPU. That metric has a field of its own there; the
 * other metrics, and what is known of them, are kept in annotations by steps of the schema.
 */
import type { NamedConversion } from '../kernel/conversion.ts'
import type { ApiObject } from '../kernel/object.ts'
import { autoscaler } from './autoscaler.ts'
import type { Autoscaler, AutoscalerSpec, Metric } from './autoscaler-shapes.ts'
import { change } from './change.ts'
import type { Rule } from './kinds.ts'

interface PlainSpec extends AutoscalerSpec {
  readonly targetCPUUtilizationPercentage?: number
}

type Status = NonNullable<Autoscaler['status']>

interface PlainStatus extends Status {
  readonly currentCPUUtilizationPercentage?: number
}

interface Plain extends ApiObject {
  readonly spec?: PlainSpec
  readonly status?: PlainStatus
}

const usualTarget = 80

/** Without a target and without other metrics, 80 % of the CPU that pods ask for is wanted. */
export const plainAutoscaler: Rule = {
  defaults(object, { platform }) {
    const { spec, metadata } = object as Plain
    const key = `autoscaling.alpha.${platform.domain}/metrics`
    const others = Object.hasOwn(metadata.annotations ?? {}, key)
    if (spec === undefined || spec.targetCPUUtilizationPercentage !== undefined || others) {
      return object
    }
    const filled = { ...spec, targetCPUUtilizationPercentage: usualTarget }
    return change(object as Plain, { spec: filled })
  },
  validate: (object, old, context) =>
    autoscaler.validate?.(newerAutoscaler(object), old && newerAutoscaler(old), context) ?? [],
}

/** The first metric for the use of CPU, in its field or in the list of all metrics. */
export const cpuMetric: NamedConversion = {
  newer: (object) => {
    const { spec, status } = object as Partial<Plain>
    return {
      ...object,
      ...(spec && { spec: newerSpec(spec) }),
      ...(status && { status: newerStatus(status) }),
    }
  },
  older: (object) => {
    const { spec, status } = object as Partial<Plain>
    return {
      ...object,
      ...(spec && { spec: olderSpec(spec) }),
      ...(status && { status: olderStatus(status) }),
    }
  },
}

/** An autoscaler of either version in the words of the newer one. */
export function newerAutoscaler(object: ApiObject): Autoscaler {
  return cpuMetric.newer(object as never) as unknown as Autoscaler
}

function newerSpec({ targetCPUUtilizationPercentage: wanted, ...spec }: PlainSpec): AutoscalerSpec {
  if (wanted === undefined) return spec
  const target = { type: 'Utilization', averageUtilization: wanted }
  const cpu: Metric = { type: 'Resource', resource: { name: 'cpu', target } }
  return { ...spec, metrics: [cpu, ...(spec.metrics ?? [])] }
}

function olderSpec(spec: AutoscalerSpec): PlainSpec {
  const metrics = spec.metrics ?? []
  const cpu = metrics.find(({ type, resource }) => {
    const { name, target } = resource ?? {}
    return type === 'Resource' && name === 'cpu' && target?.averageUtilization !== undefined
  })
  const wanted = cpu?.resource?.target?.averageUtilization
  if (wanted === undefined) return spec
  const others = metrics.filter((metric) => metric !== cpu)
  const { metrics: _, ...rest } = spec
  const kept = others.length > 0 ? { ...rest, metrics: others } : rest
  return { ...kept, targetCPUUtilizationPercentage: wanted }
}

function newerStatus({ currentCPUUtilizationPercentage: used, ...status }: PlainStatus): Status {
  if (used === undefined) return status
  const current = { averageValue: '0', averageUtilization: used }
  const cpu: Metric = { type: 'Resource', resource: { name: 'cpu', current } }
  return { ...status, currentMetrics: [cpu, ...(status.currentMetrics ?? [])] }
}

/** A measurement that says more than the use stays in the list of all measurements. */
function olderStatus(status: Status): PlainStatus {
  const measured = status.currentMetrics ?? []
  const cpu = measured.find(({ type, resource }) => {
    const { averageUtilization, averageValue = '0', value } = resource?.current ?? {}
    const plain = averageUtilization !== undefined && averageValue === '0' && value === undefined
    return type === 'Resource' && resource?.name === 'cpu' && plain
  })
  const used = cpu?.resource?.current?.averageUtilization
  if (used === undefined) return status
  const others = measured.filter((metric) => metric !== cpu)
  const { currentMetrics: _, ...rest } = status
  const kept = others.length > 0 ? { ...rest, currentMetrics: others } : rest
  return { ...kept, currentCPUUtilizationPercentage: used }
}
