/** Where objects keep what pods are made of. */
import type { ApiObject } from '../../kernel/object.ts'
import { isWhole, type Place } from '../attempt.ts'
import type { Pod } from '../pods.ts'

/** A pod, or a template for pods. */
export type PodLike = Pick<Pod, 'spec'> & { readonly metadata?: ApiObject['metadata'] }

/** How the template of an object is found; undefined where the object has none. */
export type Template = (object: ApiObject | undefined) => PodLike | undefined

interface WithTemplate {
  readonly template?: PodLike | null
  readonly spec?: {
    readonly template?: PodLike | null
    readonly jobTemplate?: { readonly spec?: { readonly template?: PodLike | null } }
  }
}

const inSpec: Template = (object) =>
  (object as WithTemplate | undefined)?.spec?.template ?? undefined
const inJob: Template = (object) =>
  (object as WithTemplate | undefined)?.spec?.jobTemplate?.spec?.template ?? undefined
const direct: Template = (object) => (object as WithTemplate | undefined)?.template ?? undefined

const templates: ReadonlyMap<string, Template> = new Map([
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
export function templateOf(place: Place): Template | undefined {
  const { group, plural } = place.resource
  return isWhole(place) ? templates.get(group === '' ? plural : `${group}/${plural}`) : undefined
}
