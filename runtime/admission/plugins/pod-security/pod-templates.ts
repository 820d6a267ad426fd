/** Where objects keep what pods are made of. */
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { isMainResource, type ResourceOperation } from '../../chain/attributes.ts'
import type { Pod } from '../pods/pod-spec.ts'

/** A pod, or a template for pods. */
export type PodLike = Pick<Pod, 'spec'> & { readonly metadata?: ApiObject['metadata'] }

/** How the template of an object is found; undefined where the object has none. */
export type PodTemplateGetter = (object: ApiObject | undefined) => PodLike | undefined

interface WithTemplate {
  readonly template?: PodLike | null
  readonly spec?: {
    readonly template?: PodLike | null
    readonly jobTemplate?: { readonly spec?: { readonly template?: PodLike | null } }
  }
}

const inSpec: PodTemplateGetter = (object) =>
  (object as WithTemplate | undefined)?.spec?.template ?? undefined
const inJob: PodTemplateGetter = (object) =>
  (object as WithTemplate | undefined)?.spec?.jobTemplate?.spec?.template ?? undefined
const direct: PodTemplateGetter = (object) =>
  (object as WithTemplate | undefined)?.template ?? undefined

const templates: ReadonlyMap<string, PodTemplateGetter> = new Map([
  ['replicationcontrollers', inSpec],
  ['podtemplates', direct],
  ['apps/replicasets', inSpec],
  ['apps/deployments', inSpec],
  ['apps/statefulsets', inSpec],
  ['apps/daemonsets', inSpec],
  ['batch/jobs', inSpec],
  ['batch/cronjobs', inJob],
])

/** How the template of a kind is found; undefined for kinds, and subresources, without one. */
export function podTemplateGetter(place: ResourceOperation): PodTemplateGetter | undefined {
  const { group, plural } = place.resource
  return isMainResource(place)
    ? templates.get(group === '' ? plural : `${group}/${plural}`)
    : undefined
}
