/** The parts of Jobs and CronJobs that rules and cells look at. */
import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { List, PodTemplate, TimeText } from '../types/shapes.ts'

export interface PodFailureRule {
  readonly action?: string
  readonly onExitCodes?: {
    readonly containerName?: string
    readonly operator?: string
    readonly values?: List<number>
  }
  readonly onPodConditions?: List<{ readonly type?: string; readonly status?: string }>
}

export interface JobSpec {
  readonly parallelism?: number
  readonly completions?: number
  readonly podFailurePolicy?: { readonly rules?: List<PodFailureRule> }
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly selector?: LabelSelectorFields
  readonly manualSelector?: boolean
  readonly template?: PodTemplate
  readonly completionMode?: string
  readonly suspend?: boolean
  readonly podReplacementPolicy?: string
}

export interface Job extends ApiObject {
  readonly spec?: JobSpec
  readonly status?: {
    readonly startTime?: TimeText
    readonly completionTime?: TimeText
    readonly succeeded?: number
  }
}

export interface CronJob extends ApiObject {
  readonly spec?: {
    readonly schedule?: string
    readonly timeZone?: string
    readonly suspend?: boolean
    readonly jobTemplate?: { readonly metadata?: object; readonly spec?: JobSpec }
  }
  readonly status?: { readonly active?: List<object>; readonly lastScheduleTime?: TimeText }
}
