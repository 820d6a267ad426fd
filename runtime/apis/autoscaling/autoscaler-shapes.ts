/** The parts of HorizontalPodAutoscalers that rules and cells look at. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { List } from '../types/shapes.ts'

export interface MetricValue {
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

export interface MetricTarget extends MetricValue {
  readonly type?: string
}

/** One source of a metric: wanted in the specification, measured in the status. */
export interface MetricSource {
  readonly name?: string
  readonly container?: string
  readonly metric?: { readonly name?: string }
  readonly target?: MetricTarget
  readonly current?: MetricValue
}

export interface Metric {
  readonly type?: string
  readonly object?: MetricSource
  readonly pods?: MetricSource
  readonly resource?: MetricSource
  readonly containerResource?: MetricSource
  readonly external?: MetricSource
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: string
  readonly policies?: List<{
    readonly type?: string
    readonly value?: number
    readonly periodSeconds?: number
  }>
}

export interface AutoscalerSpec {
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string }
  readonly minReplicas?: number
  readonly maxReplicas?: number
  readonly metrics?: List<Metric>
  readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules }
}

export interface Autoscaler extends ApiObject {
  readonly spec?: AutoscalerSpec
  readonly status?: { readonly currentReplicas?: number; readonly currentMetrics?: List<Metric> }
}

export type SourceField = Exclude<keyof Metric, 'type'>

/** The source that a metric's type names: the field of that name. */
export const metricSourceFields: ReadonlyMap<string, SourceField> = new Map([
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
] as const)
