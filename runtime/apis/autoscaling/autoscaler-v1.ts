/**
 * Autoscalers in the version that knows only one metric, the use of CPU. That metric has a field of its own there; the
 * other metrics, and what is known of them, are kept in annotations by steps of the schema, in the form that clients of
 * that version know.
 */
import type { HorizontalPodAutoscaler } from '../../../generated/apis/autoscaling/v1/horizontal-pod-autoscaler.ts'
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV2 } from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import type { NamedConversion } from '../../kernel/descriptors/conversion.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { change } from '../../kernel/values/change.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { autoscaler } from './autoscaler.ts'
import { type JsonObject, toV1Metric, toV2Metric } from './metric-conversion.ts'

const defaultUtilization = 80

/**
 * Without a target and without other metrics, 80 % of the CPU that pods ask for is wanted.
 * It is checked in the words of version 2, so paths of errors are those of that version.
 */
export const autoscalerV1: Strategy<HorizontalPodAutoscaler> = {
  defaults(object, { platform }) {
    const { spec, metadata } = object
    const key = `autoscaling.alpha.${platform.domain}/metrics`
    const others = Object.hasOwn(metadata.annotations ?? {}, key)
    if (spec === undefined || spec.targetCPUUtilizationPercentage !== undefined || others) {
      return object
    }
    return change(object, {
      spec: { ...spec, targetCPUUtilizationPercentage: defaultUtilization },
    })
  },
  check(object, context) {
    const newer = newerAutoscaler(object.value as ApiObject)
    autoscaler.check?.((object as Field<never>).with(newer), context)
  },
  checkStatus: (object, context) => autoscaler.checkStatus?.(object as Field<never>, context),
}

/** Where a number and a list of metrics stand, and which part of a metric holds the number. */
interface AnnotatedField {
  readonly parent: 'spec' | 'status'
  readonly list: 'metrics' | 'currentMetrics'
  readonly number: 'targetCPUUtilizationPercentage' | 'currentCPUUtilizationPercentage'
  readonly part: 'target' | 'current'
}

const annotatedFields: readonly AnnotatedField[] = [
  { parent: 'spec', list: 'metrics', number: 'targetCPUUtilizationPercentage', part: 'target' },
  {
    parent: 'status',
    list: 'currentMetrics',
    number: 'currentCPUUtilizationPercentage',
    part: 'current',
  },
]

/**
 * The number for the use of CPU, as a view of the first metric that holds it; the other metrics in the form of either
 * version (supplement I-16).
 *
 *  1. Nothing is lost: a metric that the older form cannot say is kept as it is.
 *  2. If that metric is the first of all targets and says nothing else, it is not kept twice; otherwise the list keeps it,
 *     and a changed number changes it there. So the order of metrics survives.
 *  3. What was measured is always kept in the list, which counts where it is there.
 */
export const cpuMetric: NamedConversion = {
  older: (newer) =>
    annotatedFields.reduce((object, place) => inside(object, place, numbered), newer),
  newer: (older) => annotatedFields.reduce((object, place) => inside(object, place, listed), older),
}

/** An autoscaler of either version in the words of the newer one. */
export function newerAutoscaler(object: ApiObject): LooseObject<HorizontalPodAutoscalerV2> {
  return cpuMetric.newer(object as never) as unknown as LooseObject<HorizontalPodAutoscalerV2>
}

/** A part that is absent, or is no struct, is left as it is: the reader has reported it. */
function inside(
  object: JsonObject,
  place: AnnotatedField,
  change: (part: JsonObject, place: AnnotatedField) => JsonObject,
): JsonObject {
  const part = object[place.parent]
  if (typeof part !== 'object' || part === null) return object
  return { ...object, [place.parent]: change(part as JsonObject, place) }
}

/** The newer form to the older one: the number is taken out of the list. */
function numbered(value: JsonObject, place: AnnotatedField): JsonObject {
  const { [place.list]: given, ...rest } = value
  if (!Array.isArray(given) || given.length === 0) return rest
  const index = given.findIndex((metric) => cpuUse(metric, place) !== undefined)
  const use = cpuUse(given[index], place)
  const plain =
    place.part === 'target' &&
    use !== undefined &&
    index === 0 &&
    deepEqual(given[0], plainMetric(use, place))
  const kept = plain ? given.slice(1) : given
  return {
    ...rest,
    ...(use !== undefined && { [place.number]: use }),
    ...(kept.length > 0 && { [place.list]: kept.map((metric) => toV1Metric(metric, place.part)) }),
  }
}

/** The older form to the newer one: the number goes to where it came from, or to the front of the list. */
function listed(value: JsonObject, place: AnnotatedField): JsonObject {
  const { [place.list]: given, [place.number]: use, ...rest } = value
  const list = Array.isArray(given) ? given.map((each) => toV2Metric(each, place.part)) : []
  const index = list.findIndex((metric) => cpuUse(metric, place) !== undefined)
  if (place.part === 'current' && list.length > 0) return { ...rest, [place.list]: list }
  if (typeof use !== 'number') return list.length > 0 ? { ...rest, [place.list]: list } : rest
  const metrics =
    index < 0
      ? [plainMetric(use, place), ...list]
      : list.map((metric, at) => (at === index ? withUse(metric, use, place) : metric))
  return { ...rest, [place.list]: metrics }
}

/** The metric that a number alone stands for. */
function plainMetric(use: number, { part }: AnnotatedField): JsonObject {
  const value =
    part === 'target'
      ? { type: 'Utilization', averageUtilization: use }
      : { averageValue: '0', averageUtilization: use }
  return { type: 'Resource', resource: { name: 'cpu', [part]: value } }
}

/**
 * The share of the metric of type Resource that is about cpu; undefined for any other metric and
 * for one by amount.
 */
function cpuUse(metric: unknown, { part }: AnnotatedField): number | undefined {
  const { type, resource } = (metric ?? {}) as {
    readonly type?: string
    readonly resource?: { readonly name?: string } & JsonObject
  }
  if (type !== 'Resource' || resource?.name !== 'cpu') return undefined
  const { averageUtilization } = (resource[part] ?? {}) as { readonly averageUtilization?: number }
  return typeof averageUtilization === 'number' ? averageUtilization : undefined
}

/** Only the share is replaced: type and the other values of the metric stay. */
function withUse(metric: unknown, use: number, { part }: AnnotatedField): JsonObject {
  const given = metric as { readonly resource: JsonObject }
  const value = { ...(given.resource[part] as JsonObject), averageUtilization: use }
  return { ...given, resource: { ...given.resource, [part]: value } }
}
