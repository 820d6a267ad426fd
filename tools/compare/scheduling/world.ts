import type { JsonObject } from '../../../runtime/kernel/values/json.ts'

/** An object of a world: what is created, and the status that it then gets. */
export interface WorldObject {
  /** The path of its collection: `/api/v1/nodes`. */
  readonly path: string
  readonly body: JsonObject & { readonly metadata: JsonObject & { readonly name: string } }
  readonly status?: JsonObject
}

/** Something that is done once all pods were tried. */
export interface Action {
  readonly method: 'DELETE' | 'PATCH'
  readonly path: string
  readonly body: JsonObject
}

/** A small cluster, and pods that come into it one by one. */
export interface World {
  readonly namespace: string
  /** What is there before, in the order in which it is created. */
  readonly objects: readonly WorldObject[]
  readonly pods: readonly WorldObject[]
  /** True if some of its pods have init containers that stay. */
  readonly hasSidecars: boolean
  /** What may help those that found no node. */
  readonly actions: readonly Action[]
}

/** The paths of the collections of a world in its namespace. */
export function pathsIn(namespace: string) {
  const core = `/api/v1/namespaces/${namespace}`
  return {
    nodes: '/api/v1/nodes',
    volumes: '/api/v1/persistentvolumes',
    storageClasses: '/apis/storage.k8s.io/v1/storageclasses',
    csiNodes: '/apis/storage.k8s.io/v1/csinodes',
    csiDrivers: '/apis/storage.k8s.io/v1/csidrivers',
    capacities: `/apis/storage.k8s.io/v1/namespaces/${namespace}/csistoragecapacities`,
    pods: `${core}/pods`,
    claims: `${core}/persistentvolumeclaims`,
    services: `${core}/services`,
    replicaSets: `/apis/apps/v1/namespaces/${namespace}/replicasets`,
    budgets: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
  } as const
}
