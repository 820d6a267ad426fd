import type { Node } from '../../../generated/apis/core/v1/node.ts'
import {
  type PersistentVolume,
  persistentVolumes,
} from '../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Client } from '../../client/client.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { isOfClaim, matchesNodeSelector } from '../../pods/pods.ts'
import { VolumeError } from './volume-error.ts'

/** Finds the volumes of claims. */
export interface VolumeClaims {
  /** The volume that a claim has; `owner` is the pod that it was made for. @throws VolumeError for none that this node can have. */
  volumeOf(namespace: string, claim: string, owner?: string): Promise<PersistentVolume>
}

/** Those of the server, for a node with these labels. */
export function serverClaims(client: Client, node: Pick<Stored<Node>, 'metadata'>): VolumeClaims {
  return {
    async volumeOf(namespace, name, owner) {
      const claim = await client.resource(persistentVolumeClaims).in(namespace).find(name)
      if (claim === undefined) throw new VolumeError(`persistentvolumeclaim "${name}" not found`)
      const owners = claim.metadata.ownerReferences ?? []
      if (owner !== undefined && !owners.some(({ uid, controller }) => controller && uid === owner))
        throw new VolumeError(`PVC ${namespace}/${name} was not created for pod`)
      const { volumeName = '' } = claim.spec ?? {}
      if (claim.status?.phase !== 'Bound' || volumeName === '')
        throw new VolumeError(`PVC ${namespace}/${name} is not bound`)
      const volume = await client.resource(persistentVolumes).find(volumeName)
      if (volume === undefined || !isOfClaim(volume, claim))
        throw new VolumeError(`volume ${volumeName} is not one of PVC ${namespace}/${name}`)
      const required = volume.spec?.nodeAffinity?.required
      if (required !== undefined && !matchesNodeSelector(required, node))
        throw new VolumeError(`no matching NodeSelectorTerms: volume ${volumeName} is elsewhere`)
      return volume
    },
  }
}
