import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { CronJob } from '../../../../generated/apis/batch/v1/cron-job.ts'
import type { PodTemplate } from '../../../../generated/apis/core/v1/pod-template.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { isMainResource, type ResourceOperation } from '../../chain/attributes.ts'
import type { Pod } from '../pods/pod-spec.ts'

/** A pod or a pod template. */
export type PodLike = Pick<Pod, 'spec'> & { readonly metadata?: ApiObject['metadata'] }

/** Gets the pod template of an object; undefined if the object has none. */
export type PodTemplateGetter = (object: ApiObject | undefined) => PodLike | undefined

/** Objects before validation may lack a required field. */
type Loose<T> = { readonly [K in keyof T]?: T[K] | null } | undefined

const inSpec: PodTemplateGetter = (object) =>
  (object as Loose<Deployment>)?.spec?.template as PodLike | undefined
const inJobTemplate: PodTemplateGetter = (object) =>
  (object as Loose<CronJob>)?.spec?.jobTemplate?.spec?.template as PodLike | undefined
const atTop: PodTemplateGetter = (object) =>
  (object as Loose<PodTemplate>)?.template as PodLike | undefined

const getters: ReadonlyMap<string, PodTemplateGetter> = new Map([
  ['replicationcontrollers', inSpec],
  ['podtemplates', atTop],
  ['apps/replicasets', inSpec],
  ['apps/deployments', inSpec],
  ['apps/statefulsets', inSpec],
  ['apps/daemonsets', inSpec],
  ['batch/jobs', inSpec],
  ['batch/cronjobs', inJobTemplate],
])

/** The getter for the pod template of a resource; undefined for resources without one, and for subresources. */
export function podTemplateGetter(request: ResourceOperation): PodTemplateGetter | undefined {
  if (!isMainResource(request)) return undefined
  const { group, plural } = request.resource
  return getters.get(group === '' ? plural : `${group}/${plural}`)
}
