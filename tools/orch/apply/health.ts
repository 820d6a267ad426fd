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
  const { kind, metadata, spec = {}, status = {} } = object
  if (metadata.deletionTimestamp) return progressing('it is being deleted')
  const seen = status.observedGeneration
  if (typeof seen === 'number' && seen < (metadata.generation ?? 0)) {
    return progressing('its controller has not seen it')
  }
  const rule = Object.hasOwn(byKind, kind) ? byKind[kind] : undefined
  return (rule ?? byConditions)({ spec, status, metadata } as Parts)
}

type Parts = Pick<DynamicObject, 'metadata'> & Readonly<Record<'spec' | 'status', DynamicObject>>
type Rule = (parts: Parts) => Health

const byKind: Readonly<Record<string, Rule>> = {
  Deployment: ({ spec, status, metadata }) => {
    const stuck = conditionOf(status, 'Progressing')
    if (stuck?.reason === 'ProgressDeadlineExceeded') return failed(stuck.message)
    if (status.observedGeneration === undefined && (metadata.generation ?? 0) > 0)
      return progressing('its controller has not seen it')
    const wanted = spec.replicas ?? 1
    if ((status.updatedReplicas ?? 0) < wanted)
      return progressing(`${status.updatedReplicas ?? 0} of ${wanted} replicas are updated`)
    if ((status.replicas ?? 0) > wanted) return progressing('old replicas are there still')
    return counted(status.availableReplicas, wanted, 'available')
  },
  StatefulSet: ({ spec, status }) => {
    const wanted = spec.replicas ?? 1
    if (status.updateRevision !== undefined && status.currentRevision !== status.updateRevision)
      return progressing(`${status.updatedReplicas ?? 0} of ${wanted} replicas are updated`)
    return counted(status.readyReplicas, wanted, 'ready')
  },
  ReplicaSet: ({ spec, status }) => counted(status.readyReplicas, spec.replicas ?? 1, 'ready'),
  DaemonSet: ({ status }) =>
    status.desiredNumberScheduled === undefined
      ? progressing('its controller has not seen it')
      : counted(
          Math.min(status.updatedNumberScheduled ?? 0, status.numberAvailable ?? 0),
          status.desiredNumberScheduled,
          'available',
        ),
  Job: ({ status, spec }) => {
    const broken = conditionOf(status, 'Failed')
    if (broken?.status === 'True') return failed(broken.message ?? 'it failed')
    if (spec.suspend === true || conditionOf(status, 'Complete')?.status === 'True') return healthy
    return progressing('it has not completed')
  },
  Pod: ({ status }) => {
    if (status.phase === 'Failed') return failed(status.message ?? 'it failed')
    if (status.phase === 'Succeeded') return healthy
    return requires(status, 'Ready')
  },
  PersistentVolumeClaim: ({ status }) =>
    status.phase === 'Bound' ? healthy : progressing(`it is ${status.phase ?? 'not seen'}`),
  CustomResourceDefinition: ({ status }) => requires(status, 'Established'),
  APIService: ({ status }) => requires(status, 'Available'),
  Namespace: ({ status }) =>
    status.phase === 'Active' ? healthy : progressing(`it is ${status.phase ?? 'not seen'}`),
  Service: ({ spec, status }) =>
    spec.type !== 'LoadBalancer' || (status.loadBalancer?.ingress ?? []).length > 0
      ? healthy
      : progressing('it has no address of a balancer'),
}

/** Other kinds: what their conditions of the usual names say. */
function byConditions({ status }: Parts): Health {
  const stalled = conditionOf(status, 'Stalled')
  if (stalled?.status === 'True') return failed(stalled.message ?? 'it is stalled')
  for (const type of ['Ready', 'Available']) {
    if (conditionOf(status, type) !== undefined) return requires(status, type)
  }
  return healthy
}

function requires(status: DynamicObject, type: string): Health {
  const found = conditionOf(status, type)
  if (found?.status === 'True') return healthy
  const why = found?.message ?? found?.reason
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
}

function conditionOf(status: DynamicObject, type: string): Condition | undefined {
  const { conditions } = status
  if (!Array.isArray(conditions)) return undefined
  return (conditions as readonly Condition[]).find((one) => one.type === type)
}

function progressing(why: string): Health {
  return { is: 'progressing', why }
}

function failed(why = 'it failed'): Health {
  return { is: 'failed', why }
}
