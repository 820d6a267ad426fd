/** Whether an object has become what its spec asks for. */
import type { DynamicObject } from '../../../runtime/client/client.ts'

/** How far an object is, and what is missing. */
export interface Health {
  readonly is: 'healthy' | 'progressing' | 'failed'
  readonly why: string
}

const healthy: Health = { is: 'healthy', why: '' }

/** The health of an object by what its kind says in its status; one without a status is healthy. */
export function healthOf(object: DynamicObject): Health {
  const { apiVersion, kind, metadata, spec = {}, status = {} } = object
  if (metadata.deletionTimestamp) return progressing('it is being deleted')
  const { generation = 0 } = metadata
  const seen = status.observedGeneration
  if (typeof seen === 'number' && seen < generation) return unseen
  const key = `${groupWord(apiVersion)}/${kind}`
  const rule = Object.hasOwn(byKind, key) ? byKind[key] : undefined
  return (rule ?? byConditions)({ spec, status, generation } as Parts)
}

/** `apps` of `apps/v1` and `apiextensions` of any platform: another group may have a kind of the same name. */
function groupWord(apiVersion: string): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const [word = '', ...rest] = group.split('.')
  return rest.length === 0 || platformGroups.has(word) ? word : group
}

const platformGroups = new Set(['apiextensions', 'apiregistration'])

interface Parts extends Readonly<Record<'spec' | 'status', DynamicObject>> {
  readonly generation: number
}
type Rule = (parts: Parts) => Health

const byKind: Readonly<Record<string, Rule>> = {
  'apps/Deployment': ({ spec, status, generation }) => {
    const stuck = conditionOf(status, 'Progressing')
    if (stuck?.reason === 'ProgressDeadlineExceeded') return failed(stuck.message)
    if (status.observedGeneration === undefined && generation > 0) return unseen
    if (spec.paused === true) return healthy
    const wanted = spec.replicas ?? 1
    if ((status.updatedReplicas ?? 0) < wanted)
      return progressing(`${status.updatedReplicas ?? 0} of ${wanted} replicas are updated`)
    if ((status.replicas ?? 0) > wanted) return progressing('old replicas are there still')
    return counted(status.availableReplicas, wanted, 'available')
  },
  'apps/StatefulSet': ({ spec, status, generation }) => {
    if (status.observedGeneration === undefined && generation > 0) return unseen
    const wanted = spec.replicas ?? 1
    const updated = status.updatedReplicas ?? 0
    const { type, rollingUpdate } = (spec.updateStrategy ?? {}) as DynamicObject
    const isBehind = status.currentRevision !== status.updateRevision
    // Pods below the partition, and those that are not deleted, keep their revision.
    const asked = type === 'OnDelete' ? 0 : Math.max(0, wanted - (rollingUpdate?.partition ?? 0))
    if (status.updateRevision !== undefined && isBehind && updated < asked)
      return progressing(`${updated} of ${asked} replicas are updated`)
    return counted(status.readyReplicas, wanted, 'ready')
  },
  'apps/ReplicaSet': ({ spec, status }) =>
    counted(status.readyReplicas, spec.replicas ?? 1, 'ready'),
  '/ReplicationController': ({ spec, status }) =>
    counted(status.readyReplicas, spec.replicas ?? 1, 'ready'),
  'apps/DaemonSet': ({ spec, status, generation }) => {
    if (status.observedGeneration === undefined && generation > 0) return unseen
    const wanted = status.desiredNumberScheduled ?? 0
    const there = status.numberAvailable ?? 0
    const { type } = (spec.updateStrategy ?? {}) as DynamicObject
    const isUpdated = type === 'OnDelete' ? there : (status.updatedNumberScheduled ?? 0)
    return counted(Math.min(isUpdated, there), wanted, 'available')
  },
  'batch/Job': ({ status, spec }) => {
    const broken = conditionOf(status, 'Failed')
    if (broken?.status === 'True') return failed(broken.message ?? 'it failed')
    if (spec.suspend === true || conditionOf(status, 'Complete')?.status === 'True') return healthy
    return progressing('it has not completed')
  },
  '/Pod': ({ status, generation }) => {
    if (status.phase === 'Failed') return failed(status.message ?? 'it failed')
    if (status.phase === 'Succeeded') return healthy
    return requires(status, 'Ready', generation)
  },
  '/PersistentVolumeClaim': ({ status }) =>
    status.phase === 'Bound' ? healthy : progressing(`it is ${status.phase ?? 'not seen'}`),
  'apiextensions/CustomResourceDefinition': ({ status, generation }) => {
    const names = conditionOf(status, 'NamesAccepted')
    if (names?.status === 'False') return failed(names.message)
    return requires(status, 'Established', generation)
  },
  'apiregistration/APIService': ({ status, generation }) =>
    requires(status, 'Available', generation),
  '/Namespace': ({ status }) =>
    status.phase === 'Active' ? healthy : progressing(`it is ${status.phase ?? 'not seen'}`),
  '/Service': ({ spec, status }) =>
    spec.type !== 'LoadBalancer' || (status.loadBalancer?.ingress ?? []).length > 0
      ? healthy
      : progressing('it has no address of a balancer'),
}

/** Other kinds: what their conditions of the usual names say. */
function byConditions({ status, generation }: Parts): Health {
  const stalled = conditionOf(status, 'Stalled')
  if (stalled?.status === 'True') return failed(stalled.message ?? 'it is stalled')
  const busy = conditionOf(status, 'Reconciling')
  if (busy?.status === 'True') return progressing(busy.message ?? 'its controller is at work')
  for (const type of ['Ready', 'Available']) {
    if (conditionOf(status, type) !== undefined) return requires(status, type, generation)
  }
  return healthy
}

/** A condition that was set for an older spec says nothing of this one. */
function requires(status: DynamicObject, type: string, generation: number): Health {
  const found = conditionOf(status, type)
  if ((found?.observedGeneration ?? generation) < generation) return unseen
  if (found?.status === 'True') return healthy
  const why = found?.message || found?.reason
  return progressing(`${type} is ${found?.status ?? 'not said'}${why ? `: ${why}` : ''}`)
}

function counted(there: number | undefined, wanted: number, word: string): Health {
  const now = there ?? 0
  return now >= wanted ? healthy : progressing(`${now} of ${wanted} replicas are ${word}`)
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

function conditionOf(status: DynamicObject, type: string): Condition | undefined {
  const { conditions } = status
  if (!Array.isArray(conditions)) return undefined
  return (conditions as readonly Condition[]).find((one) => one.type === type)
}

const unseen: Health = progressing('its controller has not seen it')

function progressing(why: string): Health {
  return { is: 'progressing', why }
}

function failed(why = 'it failed'): Health {
  return { is: 'failed', why }
}
