import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
} from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { referenceProblems } from '../../kernel/meta/names.ts'
import { change } from '../../kernel/values/change.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { checkMetric } from './metrics.ts'

type Spec = Loose<HorizontalPodAutoscalerSpec>
type Rules = Loose<HPAScalingRules>

/** The metric of an autoscaler that names none: 80 percent of the requests of its pods. */
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}
const everything = { type: 'Percent', value: 100, periodSeconds: 15 }
/**
 * Up at once, by four pods or by all of them in 15 seconds, whichever is more. Down by any number
 * in 15 seconds, but without a window of its own: that one is a setting of the controller.
 */
const growth: Rules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, everything],
}
const shrinking: Rules = { selectPolicy: 'Max', policies: [everything] }
/** Seconds: one hour to look back, half an hour for a policy. */
const longestWindow = 3600
const longestPeriod = 1800

/**
 * An autoscaler scales by CPU unless it names metrics, between bounds in their order (supplement
 * I-16). Errors in the order bounds, target, metrics, behavior. Of behavior only a given one is
 * filled up.
 */
export const autoscaler: Strategy<HorizontalPodAutoscaler> = {
  defaults: (object) =>
    object.spec === undefined ? object : change(object, { spec: withDefaults(object.spec) }),
  check(object) {
    const spec = object.child('spec')
    checkBounds(spec)
    spec.checkText('scaleTargetRef.kind', referenceProblems)
    spec.checkText('scaleTargetRef.name', referenceProblems)
    spec.each('metrics', checkMetric)
    checkZero(spec)
    const behavior = spec.child('behavior')
    behavior.when('scaleUp', checkRules)
    behavior.when('scaleDown', checkRules)
  },
  checkStatus(object) {
    const status = object.child('status')
    for (const key of ['currentReplicas', 'desiredReplicas'] as const) {
      if ((status.value[key] ?? 0) >= 0) continue
      status.invalid(key, 'must be greater than or equal to 0')
    }
  },
}

/** Only what is measured without pods can scale up from none. */
function checkZero(spec: Field<HorizontalPodAutoscalerSpec>): void {
  const { minReplicas, metrics } = spec.value
  if (minReplicas !== 0) return
  if (metrics?.some(({ type }) => type === 'Object' || type === 'External')) return
  const why =
    'must specify at least one Object or External metric to support scaling to zero replicas'
  spec.forbidden('metrics', why)
}

/** Rules are filled up field by field: a client that gives policies keeps them whole. */
function withDefaults(spec: Spec): Spec {
  const { behavior } = spec
  const filled = (given: Rules = {}, rules: Rules) => change(given, { ...rules, ...given })
  return change(spec, {
    metrics: spec.metrics?.length ? spec.metrics : [cpu],
    behavior:
      behavior &&
      change(behavior, {
        scaleUp: filled(behavior.scaleUp, growth),
        scaleDown: filled(behavior.scaleDown, shrinking),
      }),
  })
}

/** An absent minReplicas is not judged. Zero replicas as the lower bound are not accepted. */
function checkBounds(spec: Field<HorizontalPodAutoscalerSpec>): void {
  const { minReplicas = Number.NaN, maxReplicas = 0 } = spec.value
  if (minReplicas < 1) spec.invalid('minReplicas', 'must be greater than or equal to 1')
  if (maxReplicas < 1) spec.invalid('maxReplicas', 'must be greater than 0', maxReplicas)
  if (maxReplicas < minReplicas) {
    spec.invalid('maxReplicas', 'must be greater than or equal to `minReplicas`', maxReplicas)
  }
}

/**
 * Errors in the order window, presence of policies, each policy with value before period. A window
 * of zero is no window; a period has at least a second.
 */
const checkRules: Check<HPAScalingRules> = (rules) => {
  const { stabilizationWindowSeconds: window = 0, policies } = rules.value
  const wrongWindow = (why: string) => rules.invalid('stabilizationWindowSeconds', why)
  if (window < 0) wrongWindow('must be greater than or equal to zero')
  if (window > longestWindow) wrongWindow(`must be less than or equal to ${longestWindow}`)
  if (!policies?.length) rules.required('policies', 'must specify at least one Policy')
  rules.each('policies', (policy) => {
    const { value = 0, periodSeconds: period = 0 } = policy.value
    if (value <= 0) policy.invalid('value', 'must be greater than zero', value)
    if (period <= 0) policy.invalid('periodSeconds', 'must be greater than zero', period)
    if (period > longestPeriod) {
      policy.invalid('periodSeconds', `must be less than or equal to ${longestPeriod}`)
    }
  })
}
