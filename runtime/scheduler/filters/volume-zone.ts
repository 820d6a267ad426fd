/** Whether volumes that say by labels where they are can be reached from a node. */
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { storageClassOf } from '../../pods/pods.ts'
import type { PlatformKeys } from '../facts/platform-keys.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { type Rejection, unfit } from './rejection.ts'

/** Where a volume is. */
export interface PlaceOfVolume {
  readonly key: string
  readonly values: ReadonlySet<string>
}

/** The places of the volumes that the claims of a pod have, or why no node will do. */
export function placesOf(
  { metadata: { namespace }, spec }: Stored<Pod>,
  { lookups, keys }: Cluster,
): { readonly places: readonly PlaceOfVolume[] } | Rejection {
  const places: PlaceOfVolume[] = []
  for (const { persistentVolumeClaim } of spec?.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue
    const claim = lookups.claim(namespace, persistentVolumeClaim.claimName)
    if (claim === undefined) continue
    const name = claim.spec?.volumeName ?? ''
    if (name === '') {
      // A claim that waits for a node is bound where the node can reach it.
      if (lookups.storageClass(storageClassOf(claim, keys.formerStorageClass)) !== undefined)
        continue
      const reason = 'PersistentVolumeClaim had no pv name and storageClass name'
      return unfit('VolumeZone', reason)
    }
    const volume = lookups.volume(name)
    if (volume === undefined) return unfit('VolumeZone', `persistentvolume "${name}" not found`)
    const { labels = {} } = volume.metadata
    for (const key of keysOf(keys)) {
      if (!Object.hasOwn(labels, key)) continue
      const values = labels[key]!.split('__').map((value) => value.trim())
      if (values.every((value) => value !== '')) places.push({ key, values: new Set(values) })
    }
  }
  return { places }
}

/** A node in another zone or region. One that is in none can reach everything. */
export function zoneRejection(
  places: readonly PlaceOfVolume[],
  { labels }: NodeInfo,
  keys: PlatformKeys,
): Rejection | undefined {
  if (places.length === 0 || !keysOf(keys).some((key) => Object.hasOwn(labels, key)))
    return undefined
  const isThere = ({ key, values }: PlaceOfVolume): boolean => {
    const value = labels[key] ?? labels[keys.formerPlaces.get(key) ?? key]
    return value !== undefined && values.has(value)
  }
  if (places.every(isThere)) return undefined
  return unfit('VolumeZone', 'node(s) had no available volume zone')
}

function keysOf({ formerPlaces, zone, region }: PlatformKeys): readonly string[] {
  return [...formerPlaces.keys(), zone, region]
}
