/** The rules of HorizontalPodAutoscaler. */
import { pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid, invalidAll, required } from '../types/field-errors.ts'
import type { Autoscaler, AutoscalerSpec, Metric, ScalingRules } from './autoscaler-shapes.ts'
import { checkMetrics } from './metrics.ts'

const cpu: Metric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}
const everything = { type: 'Percent', value: 100, periodSeconds: 15 }
const growth: ScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, everything],
}
const shrinking: ScalingRules = { selectPolicy: 'Max', policies: [everything] }
const longestWindow = 3600
const longestPeriod = 1800

/** An autoscaler scales by CPU unless told otherwise, between bounds that make sense (supplement I-16). */
export const autoscaler: Strategy = {
  defaults(object) {
    const { spec } = object as Autoscaler
    if (spec === undefined) return object
    return change(object as Autoscaler, { spec: withDefaults(spec) })
  },
  validate(object) {
    const { spec = {} } = object as Autoscaler
    const { scaleTargetRef: target = {}, behavior = {} } = spec
    return [
      ...checkBounds(spec),
      ...checkSegment('spec.scaleTargetRef.kind', target.kind),
      ...checkSegment('spec.scaleTargetRef.name', target.name),
      ...checkMetrics('spec.metrics', spec.metrics ?? []),
      ...checkRules('spec.behavior.scaleUp', behavior.scaleUp),
      ...checkRules('spec.behavior.scaleDown', behavior.scaleDown),
    ]
  },
}

function withDefaults(spec: AutoscalerSpec): AutoscalerSpec {
  const { behavior } = spec
  return change(spec, {
    metrics: spec.metrics?.length ? spec.metrics : [cpu],
    behavior:
      behavior &&
      change(behavior, {
        scaleUp: change(behavior.scaleUp ?? {}, filled(growth, behavior.scaleUp)),
        scaleDown: change(behavior.scaleDown ?? {}, filled(shrinking, behavior.scaleDown)),
      }),
  })
}

function filled(rules: ScalingRules, given: ScalingRules = {}): ScalingRules {
  return { ...rules, ...given }
}

function checkBounds({ minReplicas, maxReplicas = 0 }: AutoscalerSpec): readonly FieldError[] {
  const path = 'spec.maxReplicas'
  const below = minReplicas !== undefined && maxReplicas < minReplicas
  const order = 'must be greater than or equal to `minReplicas`'
  return [
    ...(minReplicas !== undefined && minReplicas < 1
      ? [invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')]
      : []),
    ...(maxReplicas < 1 ? [invalid(path, maxReplicas, 'must be greater than 0')] : []),
    ...(below ? [invalid(path, maxReplicas, order)] : []),
  ]
}

function checkSegment(path: string, name: string | undefined): readonly FieldError[] {
  return name ? invalidAll(path, name, pathSegmentProblems(name)) : []
}

function checkRules(path: string, rules: ScalingRules | undefined): readonly FieldError[] {
  if (rules === undefined) return []
  const { stabilizationWindowSeconds: window = 0, policies } = rules
  const at = `${path}.stabilizationWindowSeconds`
  const many = policies ?? []
  return [
    ...(window < 0 ? [invalid(at, window, 'must be greater than or equal to zero')] : []),
    ...(window > longestWindow
      ? [invalid(at, window, `must be less than or equal to ${longestWindow}`)]
      : []),
    ...(many.length === 0
      ? [required(`${path}.policies`, 'must specify at least one Policy')]
      : []),
    ...many.flatMap((policy, index) => checkPolicy(`${path}.policies[${index}]`, policy)),
  ]
}

function checkPolicy(
  path: string,
  { value = 0, periodSeconds = 0 }: { readonly value?: number; readonly periodSeconds?: number },
): readonly FieldError[] {
  const some = 'must be greater than zero'
  const most = `must be less than or equal to ${longestPeriod}`
  const at = `${path}.periodSeconds`
  return [
    ...(value <= 0 ? [invalid(`${path}.value`, value, some)] : []),
    ...(periodSeconds <= 0 ? [invalid(at, periodSeconds, some)] : []),
    ...(periodSeconds > longestPeriod ? [invalid(at, periodSeconds, most)] : []),
  ]
}
