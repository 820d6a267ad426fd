/** Parts of objects that several kinds share, as checks see them. */
import type { Deployment } from '../../../generated/apis/apps/v1/deployment.ts'
import type * as pod from '../../../generated/apis/core/v1/pod.ts'
import type * as service from '../../../generated/apis/core/v1/service.ts'
import type { Loose, LooseObject } from './loose.ts'

export type Strings = Readonly<Record<string, string>>
export type List<T> = readonly T[] | null
/** A time as JSON holds it; null where a kept field has none. */
export type TimeText = string | null
export type IntOrString = number | string

export interface Condition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
}

export type Pod = LooseObject<pod.Pod>
export type PodSpec = Loose<pod.PodSpec>
export type PodTemplate = Loose<pod.PodTemplateSpec>
export type Workload = LooseObject<Deployment>
export type Service = LooseObject<service.Service>
export type ServiceSpec = Loose<service.ServiceSpec>
export type ServicePort = Loose<service.ServicePort>
export interface Resources {
  readonly limits?: Strings
  readonly requests?: Strings
}
