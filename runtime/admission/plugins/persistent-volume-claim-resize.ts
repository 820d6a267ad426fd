import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { StorageClass } from '../../../generated/apis/storage/v1/storage-class.ts'
import { compareQuantities, parseQuantity } from '../../kernel/values/quantity.ts'
import { isMainResource, isResource } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { getObject } from '../chain/plugin-context.ts'

/** Bound claims grow where their class allows it (supplement Q-23). */
export const persistentVolumeClaimResize: PluginFactory = (world) => {
  const { api, domain } = world.scheme.platform
  const path = `apis/storage.${api}/v1/storageclasses`
  const classOf = ({ metadata, spec }: PersistentVolumeClaim) =>
    metadata.annotations?.[`volume.beta.${domain}/storage-class`] ?? spec?.storageClassName ?? ''
  return {
    handles: (place) =>
      isResource(place, '', 'persistentvolumeclaims') &&
      isMainResource(place) &&
      place.operation === 'UPDATE',
    async validate(subject) {
      const claim = subject.object as PersistentVolumeClaim
      const old = subject.old as PersistentVolumeClaim
      const [size, before] = [claim, old].map((one) =>
        parseQuantity(one.spec?.resources?.requests?.storage ?? ''),
      )
      if (size === undefined || (before && compareQuantities(size, before) <= 0)) return
      if (old.status?.phase !== 'Bound') {
        throw forbidden(subject, 'Only bound persistent volume claims can be expanded')
      }
      const name = classOf(claim)
      const found = name === '' ? undefined : await getObject(world, path, name)
      if (name === classOf(old) && (found as StorageClass | undefined)?.allowVolumeExpansion) return
      throw forbidden(
        subject,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
    },
  }
}
