/** What is known of the cluster, kept as the server tells of changes, and the pods that wait. */
import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Informer } from '../../informer/informer.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { termMatches } from '../facts/affinity-term.ts'
import { platformKeys } from '../facts/platform-keys.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import { fitRejection, portsRejection } from '../filters/fit.ts'
import { nodeRejection } from '../filters/node-filters.ts'
import type { ClusterEvent } from '../queue/cluster-event.ts'
import type { SchedulingQueue } from '../queue/scheduling-queue.ts'
import { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { AssumedObjects } from './assumed-objects.ts'
import type { Followed } from './followed-kinds.ts'
import { Peers } from './peers.ts'
import type { SchedulerOptions } from './scheduler-options.ts'

const noLabels = {}

/** The cluster as informers show it; changes go to the queue. */
export class ClusterState {
  readonly cluster: Cluster
  readonly claims
  readonly volumes
  readonly #followed: Followed
  readonly #queue: SchedulingQueue
  readonly #names: ReadonlySet<string>
  /** Hear of each change of a claim or a volume. */
  readonly #storageListeners = new Set<() => void>()

  constructor(
    followed: Followed,
    queue: SchedulingQueue,
    { platform }: Pick<SchedulerOptions, 'platform'>,
    names: ReadonlySet<string>,
  ) {
    this.#followed = followed
    this.#queue = queue
    this.#names = names
    this.claims = new AssumedObjects(followed.claims.cache)
    this.volumes = new AssumedObjects(followed.volumes.cache)
    this.cluster = new Cluster(this.#lookups(), platformKeys(platform))
    this.#followPods()
    this.#followNodes()
    this.#followStorage()
  }

  /** The pod as the server last showed it; undefined once it is gone or has ended. */
  podNow({ metadata }: Stored<Pod>): Stored<Pod> | undefined {
    const { namespace, name, uid } = metadata
    const found = this.#followed.pods.cache.get({ namespace, name })
    return found?.metadata.uid === uid ? found : undefined
  }

  /** Calls `hear` after each change of a claim or a volume, until the returned function is called. */
  onStorage(hear: () => void): () => void {
    this.#storageListeners.add(hear)
    return () => this.#storageListeners.delete(hear)
  }

  #lookups(): Cluster['lookups'] {
    const followed = this.#followed
    const peers = new Peers(followed)
    return {
      namespaceLabels: (name) =>
        followed.namespaces.cache.get({ name })?.metadata.labels ?? noLabels,
      peersOf: (pods) => peers.of(pods),
      claim: (namespace, name) => this.claims.get(name, namespace),
      volume: (name) => (name === '' ? undefined : this.volumes.get(name)),
      volumesOfClass: (name) => this.volumes.present(followed.volumes.cache.index('class', name)),
      storageClass: (name) => followed.storageClasses.cache.get({ name }),
      csiNode: (name) => followed.csiNodes.cache.get({ name }),
      csiDriver: (name) => followed.csiDrivers.cache.get({ name }),
      capacities: () => followed.capacities.cache.list(),
      budgets: () => followed.budgets.cache.list(),
    }
  }

  #followPods(): void {
    this.#followed.pods.on({
      added: (pod) => this.#show(pod, undefined),
      updated: (pod, before) => this.#show(pod, before),
      deleted: (pod) => this.#gone(pod),
    })
  }

  #show(pod: Stored<Pod>, before: Stored<Pod> | undefined): void {
    if (nodeOf(pod) !== '') this.#showAssigned(pod, before)
    else this.#showWaiting(pod, before)
  }

  #showWaiting(pod: Stored<Pod>, before: Stored<Pod> | undefined): void {
    const { uid } = pod.metadata
    if (!this.#names.has(pod.spec?.schedulerName ?? '') || this.cluster.isAssumed(uid)) return
    const info = this.cluster.classes.infoOf(pod)
    const [nominated, previous] = [nominatedOf(pod), before && nominatedOf(before)]
    if (nominated !== '') this.cluster.nominate(info, nominated)
    else if (previous) this.cluster.denominate(uid)
    this.#queue.set(info, before !== undefined && matters(pod, before))
  }

  #showAssigned(pod: Stored<Pod>, before: Stored<Pod> | undefined): void {
    const { uid } = pod.metadata
    const isNew = before === undefined || nodeOf(before) === ''
    this.cluster.setPod(pod)
    this.cluster.denominate(uid)
    this.#queue.remove(uid)
    if (!isNew && !changesOthers(pod, before)) return
    const { class: own } = this.cluster.classes.infoOf(pod)
    const { namespaceLabels } = this.cluster.lookups
    this.#queue.happened(isNew ? 'AssignedPodAdd' : 'AssignedPodUpdate', ({ class: waiting }) => {
      const isNear = waiting.near.some((term) => termMatches(term, own, namespaceLabels))
      const isSpread = waiting.spread?.required.some(({ selection }) => selection.matches(own))
      return isNear || (isSpread === true && waiting.namespace === own.namespace)
    })
  }

  #gone(pod: Stored<Pod>): void {
    const { uid } = pod.metadata
    const frees = nodeOf(pod) !== '' || this.cluster.isAssumed(uid) || nominatedOf(pod) !== ''
    this.cluster.removePod(uid)
    this.cluster.denominate(uid)
    this.#queue.remove(uid)
    if (frees) this.#queue.happened('AssignedPodDelete')
  }

  #followNodes(): void {
    this.#followed.nodes.on({
      added: (node) => {
        const info = this.cluster.setNode(node)
        this.#queue.happened('NodeAdd', (waiting) => this.#mayFit(waiting, info))
      },
      updated: (node, before) => {
        const info = this.cluster.setNode(node)
        const event = nodeChange(node, before)
        if (event) this.#queue.happened(event, (waiting) => this.#mayFit(waiting, info))
      },
      deleted: ({ metadata }) => {
        this.cluster.removeNode(metadata.name)
        this.#queue.happened('NodeDelete')
      },
    })
  }

  /** False for pods that the node is not for, whatever else there is. */
  #mayFit({ class: pods }: PodInfo, info: NodeInfo): boolean {
    const rejection =
      nodeRejection(pods, info.node!, this.cluster.keys) ??
      fitRejection(pods, info) ??
      portsRejection(pods, info)
    return rejection === undefined
  }

  #followStorage(): void {
    const { claims, volumes, storageClasses, csiNodes, csiDrivers, capacities } = this.#followed
    const tell = <T extends ApiObject>(
      informer: Informer<T>,
      [added, updated]: readonly [ClusterEvent, ClusterEvent],
      shown: (object: Stored<T>) => void = () => {},
    ): void => {
      const hear = (event: ClusterEvent, object: Stored<T>): void => {
        shown(object)
        this.#queue.happened(event)
      }
      informer.on({
        added: (object) => hear(added, object),
        updated: (object) => hear(updated, object),
        deleted: shown,
      })
    }
    const told = (): void => {
      for (const hear of [...this.#storageListeners]) hear()
    }
    tell(claims, ['PvcAdd', 'PvcUpdate'], (one) => {
      this.claims.shown(one)
      told()
    })
    tell(volumes, ['PvAdd', 'PvUpdate'], (one) => {
      this.volumes.shown(one)
      told()
    })
    tell(storageClasses, ['StorageClassAdd', 'StorageClassUpdate'])
    tell(csiNodes, ['CSINodeAdd', 'CSINodeUpdate'])
    tell(csiDrivers, ['CSIDriverAdd', 'CSIDriverUpdate'])
    tell(capacities, ['CSIStorageCapacityAdd', 'CSIStorageCapacityUpdate'])
  }
}

function nodeOf({ spec }: Pod): string {
  return spec?.nodeName ?? ''
}

function nominatedOf({ status }: Pod): string {
  return status?.nominatedNodeName ?? ''
}

/** True for a change of a waiting pod after which another node may do. */
function matters(pod: Stored<Pod>, before: Stored<Pod>): boolean {
  const facts = ({ metadata, spec, status }: Stored<Pod>) => [
    ...[spec, metadata.labels, metadata.annotations, metadata.ownerReferences],
    ...[metadata.deletionTimestamp, status?.resourceClaimStatuses],
  ]
  return !deepEqual(facts(pod), facts(before))
}

/** True for a change of a pod on a node that others may have waited for. */
function changesOthers({ metadata }: Stored<Pod>, { metadata: before }: Stored<Pod>): boolean {
  return (
    metadata.deletionTimestamp !== before.deletionTimestamp ||
    !deepEqual(metadata.labels, before.labels)
  )
}

/** What of a node has changed that decides; undefined for nothing. */
function nodeChange(node: Stored<Node>, before: Stored<Node>): ClusterEvent | undefined {
  if (node.spec?.unschedulable !== before.spec?.unschedulable && !node.spec?.unschedulable) {
    return 'NodeSpecUnschedulableChange'
  }
  if (!deepEqual(node.status?.allocatable, before.status?.allocatable)) {
    return 'NodeAllocatableChange'
  }
  if (!deepEqual(node.metadata.labels, before.metadata.labels)) return 'NodeLabelChange'
  if (!deepEqual(node.spec?.taints, before.spec?.taints)) return 'NodeTaintChange'
  const conditions = ({ status }: Stored<Node>) =>
    status?.conditions?.map((one) => [one.type, one.status])
  return deepEqual(conditions(node), conditions(before)) ? undefined : 'NodeConditionChange'
}
