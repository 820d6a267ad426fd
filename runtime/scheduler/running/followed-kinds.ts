/** The kinds whose objects decide where pods go. */
import { replicaSets } from '../../../generated/apis/apps/v1/replica-set.ts'
import { statefulSets } from '../../../generated/apis/apps/v1/stateful-set.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { replicationControllers } from '../../../generated/apis/core/v1/replication-controller.ts'
import { services } from '../../../generated/apis/core/v1/service.ts'
import { podDisruptionBudgets } from '../../../generated/apis/policy/v1.ts'
import { csiDrivers } from '../../../generated/apis/storage/v1/csi-driver.ts'
import { csiNodes } from '../../../generated/apis/storage/v1/csi-node.ts'
import { csiStorageCapacities } from '../../../generated/apis/storage/v1/csi-storage-capacity.ts'
import { storageClasses } from '../../../generated/apis/storage/v1/storage-class.ts'
import type { Client } from '../../client/client.ts'
import { createInformer, type Informer, type InformerOptions } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { withoutManagedFields } from '../../kernel/meta/managed-fields.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { sharedParts } from '../../kernel/meta/shared-parts.ts'
import type { Log } from '../../observe/observe.ts'

/** What informers are made with. */
export interface FollowOptions {
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly keepAlive: boolean
}

/** Informers of all kinds that the server serves. Those of others never have an object. */
export async function followKinds({ client, clock, log, keepAlive }: FollowOptions) {
  const served = new Set((await client.kinds()).map(({ group, plural }) => nameOf(group, plural)))
  const running: Informer<ApiObject>[] = []
  const follow = <T extends ApiObject>(
    kind: Kind<T>,
    options: InformerOptions<T> = {},
  ): Informer<T> => {
    const informer = createInformer(client.resource(kind), { clock, log, keepAlive, ...options })
    // Groups are named as the server names them where its platform is another one than that of the kinds.
    if (served.has(nameOf(kind.group, kind.plural)))
      running.push(informer as unknown as Informer<ApiObject>)
    return informer
  }
  const share = sharedParts()
  const notEnded = 'status.phase!=Succeeded,status.phase!=Failed'
  return {
    pods: follow(pods, {
      fieldSelector: notEnded,
      transform: (pod) => share(withoutManagedFields(pod)),
    }),
    nodes: follow(nodes, { transform: withoutManagedFields }),
    namespaces: follow(namespaces, { transform: withoutManagedFields }),
    services: follow(services, { transform: withoutManagedFields }),
    replicationControllers: follow(replicationControllers, { transform: withoutTemplate }),
    replicaSets: follow(replicaSets, { transform: withoutTemplate }),
    statefulSets: follow(statefulSets, { transform: withoutTemplate }),
    claims: follow(persistentVolumeClaims, { transform: withoutManagedFields }),
    volumes: follow(persistentVolumes, {
      transform: withoutManagedFields,
      indexers: { class: (one) => [one.spec?.storageClassName ?? ''] },
    }),
    storageClasses: follow(storageClasses, { transform: withoutManagedFields }),
    csiNodes: follow(csiNodes, { transform: withoutManagedFields }),
    csiDrivers: follow(csiDrivers, { transform: withoutManagedFields }),
    capacities: follow(csiStorageCapacities, { transform: withoutManagedFields }),
    budgets: follow(podDisruptionBudgets, { transform: withoutManagedFields }),
    running: running as readonly Informer<ApiObject>[],
  }
}

/** Informers of what decides where pods go. */
export type Followed = Awaited<ReturnType<typeof followKinds>>

function nameOf(group: string, plural: string): string {
  return `${group.split('.')[0]}/${plural}`
}

/** Of controllers of pods only which pods are theirs is read. */
function withoutTemplate<T extends ApiObject>(object: Stored<T>): Stored<T> {
  const { spec } = object as unknown as { readonly spec?: { readonly selector?: unknown } }
  const kept = withoutManagedFields(object) as Stored<T> & { readonly status?: unknown }
  const { status: _, ...rest } = kept
  return { ...rest, spec: { selector: spec?.selector } } as unknown as Stored<T>
}
