/** Whether other pods have the disks and claims of a pod, and how many volumes a node takes. */
import { createHash } from 'node:crypto'
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Volume } from '../../../generated/apis/core/v1/volume.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { claimNameOf, storageClassOf } from '../../pods/pods.ts'
import { isDisk } from '../facts/claims.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { full, type Rejection } from './rejection.ts'

/** How many pods there are that use claims which one pod alone may use. */
export class ClaimUse {
  readonly #namespace: string
  readonly #exclusive: ReadonlySet<string>
  #users: number

  constructor(namespace: string, exclusive: ReadonlySet<string>, users = 0) {
    this.#namespace = namespace
    this.#exclusive = exclusive
    this.#users = users
  }

  /** Undefined for a pod without such claims. */
  static of(
    namespace: string,
    exclusive: ReadonlySet<string>,
    nodes: readonly NodeInfo[],
  ): ClaimUse | undefined {
    if (exclusive.size === 0) return undefined
    const made = new ClaimUse(namespace, exclusive)
    for (const { pods } of nodes) for (const info of pods.values()) made.change(info, 1)
    return made
  }

  clone(): ClaimUse {
    return new ClaimUse(this.#namespace, this.#exclusive, this.#users)
  }

  change({ pod }: PodInfo, by: 1 | -1): void {
    if (pod.metadata.namespace !== this.#namespace) return
    for (const { persistentVolumeClaim: claim } of pod.spec?.volumes ?? []) {
      if (claim !== undefined && this.#exclusive.has(claim.claimName)) this.#users += by
    }
  }

  rejection(): Rejection | undefined {
    if (this.#users === 0) return undefined
    const reason =
      'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'
    return full('VolumeRestrictions', reason)
  }
}

/** A disk that a pod of the node has, too. */
export function diskRejection(
  volumes: readonly Volume[],
  { pods }: NodeInfo,
): Rejection | undefined {
  const disks = volumes.filter(isDisk)
  if (disks.length === 0) return undefined
  for (const { pod } of pods.values()) {
    for (const other of pod.spec?.volumes ?? []) {
      if (disks.some((one) => areSameDisk(one, other))) {
        return full('VolumeRestrictions', 'node(s) had no available disk')
      }
    }
  }
  return undefined
}

function areSameDisk(a: Volume, b: Volume): boolean {
  const readOnly = (one: { readonly readOnly?: boolean }, other: { readonly readOnly?: boolean }) =>
    one.readOnly === true && other.readOnly === true
  if (a.gcePersistentDisk && b.gcePersistentDisk) {
    const [one, other] = [a.gcePersistentDisk, b.gcePersistentDisk]
    if (one.pdName === other.pdName && !readOnly(one, other)) return true
  }
  if (a.awsElasticBlockStore && b.awsElasticBlockStore) {
    if (a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID) return true
  }
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && !readOnly(a.iscsi, b.iscsi)) return true
  if (!a.rbd || !b.rbd) return false
  const [one, other] = [a.rbd, b.rbd]
  const shares = one.monitors.some((monitor) => other.monitors.includes(monitor))
  return shares && one.pool === other.pool && one.image === other.image && !readOnly(one, other)
}

/** More volumes of a driver than the node takes. */
export function limitRejection(
  info: PodInfo,
  node: NodeInfo,
  cluster: Cluster,
): Rejection | undefined {
  const drivers = cluster.lookups.csiNode(node.name)?.spec.drivers ?? []
  const counted = drivers.filter(({ allocatable }) => allocatable?.count !== undefined)
  const limits = new Map(counted.map(({ name, allocatable }) => [name, allocatable!.count!]))
  for (const [name, amount] of node.allocatable.others) {
    const driver = drivers.find((one) => attachableName(one.name) === name)
    if (driver !== undefined && !limits.has(driver.name)) limits.set(driver.name, amount)
  }
  if (limits.size === 0) return undefined
  const wanted = volumesOf(info, cluster)
  if (wanted.size === 0) return undefined
  const attached = new Map<string, string>()
  for (const other of node.pods.values()) {
    for (const [volume, driver] of volumesOf(other, cluster)) attached.set(volume, driver)
  }
  const counts = new Map<string, number>()
  for (const [, driver] of attached) counts.set(driver, (counts.get(driver) ?? 0) + 1)
  const added = new Map<string, number>()
  for (const [volume, driver] of wanted) {
    if (!attached.has(volume)) added.set(driver, (added.get(driver) ?? 0) + 1)
  }
  for (const [driver, count] of added) {
    const limit = limits.get(driver)
    if (limit !== undefined && (counts.get(driver) ?? 0) + count > limit) {
      return full('NodeVolumeLimits', 'node(s) exceed max volume count')
    }
  }
  return undefined
}

/** The volumes of a pod that are attached by drivers, with these. */
function volumesOf({ pod }: PodInfo, cluster: Cluster): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimNameOf(volume, pod.metadata.name)
    const claim = name && cluster.lookups.claim(pod.metadata.namespace, name)
    const source = claim && sourceOf(claim, cluster)
    if (source) found.set(`${source.driver}/${source.volume}`, source.driver)
  }
  return found
}

function sourceOf(
  claim: Stored<PersistentVolumeClaim>,
  { lookups, keys }: Cluster,
): { readonly driver: string; readonly volume: string } | undefined {
  const bound = lookups.volume(claim.spec?.volumeName ?? '')
  if (bound !== undefined) {
    const csi = bound.spec?.csi
    return csi && { driver: csi.driver, volume: csi.volumeHandle }
  }
  const provisioner =
    lookups.storageClass(storageClassOf(claim, keys.formerStorageClass))?.provisioner ?? ''
  const { namespace, name } = claim.metadata
  return provisioner === '' ? undefined : { driver: provisioner, volume: `${namespace}/${name}` }
}

const longestName = 63

/** What a node calls the number of volumes that it takes of a driver. */
function attachableName(driver: string): string {
  const prefix = 'attachable-volumes-csi-'
  if (prefix.length + driver.length < longestName) return prefix + driver
  const hash = createHash('sha1').update(driver).digest('hex').slice(0, 16)
  return prefix + driver.slice(0, 23) + hash
}
