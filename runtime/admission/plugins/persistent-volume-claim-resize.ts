import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { StorageClass } from '../../../generated/apis/storage/v1/storage-class.ts'
import { compareQuantities, parseQuantity } from '../../kernel/values/quantity.ts'
import { isMainResource, isResource } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { getObject } from '../chain/plugin-context.ts'

const notExpandable =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'

/** PersistentVolumeClaimResize lets only bound claims grow, and only if their storage class allows it (supplement Q-23). */
export const persistentVolumeClaimResize: PluginFactory = (context) => {
  const { api, domain } = context.scheme.platform
  const classOf = ({ metadata, spec }: PersistentVolumeClaim) =>
    metadata.annotations?.[`volume.beta.${domain}/storage-class`] ?? spec?.storageClassName ?? ''
  const allowsExpansion = async (name: string) => {
    if (name === '') return false
    const found = await getObject(context, `apis/storage.${api}/v1/storageclasses`, name)
    return (found as StorageClass | undefined)?.allowVolumeExpansion === true
  }
  return {
    handles: (request) =>
      request.operation === 'UPDATE' &&
      isResource(request, '', 'persistentvolumeclaims') &&
      isMainResource(request),
    async validate(attributes) {
      const claim = attributes.object as PersistentVolumeClaim
      const oldClaim = attributes.oldObject as PersistentVolumeClaim
      if (!grows(claim, oldClaim)) return
      if (oldClaim.status?.phase !== 'Bound') {
        throw forbidden(attributes, 'Only bound persistent volume claims can be expanded')
      }
      const name = classOf(claim)
      const isAllowed = await allowsExpansion(name)
      if (isAllowed && name === classOf(oldClaim)) return
      throw forbidden(attributes, notExpandable)
    },
  }
}

/** True if the requested storage is larger than before, or was not requested before. */
function grows(claim: PersistentVolumeClaim, oldClaim: PersistentVolumeClaim): boolean {
  const [size, oldSize] = [claim, oldClaim].map(({ spec }) =>
    parseQuantity(spec?.resources?.requests?.storage ?? ''),
  )
  if (size === undefined) return false
  return oldSize === undefined || compareQuantities(size, oldSize) > 0
}
