import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { findDefaultClass, isCreation } from './default-classes.ts'

/**
 * DefaultStorageClass sets the storage class of new claims that name none (supplement Q-19). An
 * empty name is a choice, for volumes without a class, and stays. The beta annotations still count,
 * both on claims and on classes.
 */
export const defaultStorageClass: PluginFactory = (context) => {
  const { api, domain } = context.scheme.platform
  const defaultMarks = ['', 'beta.'].map(
    (level) => `storageclass.${level}${domain}/is-default-class`,
  )
  const betaAnnotation = `volume.beta.${domain}/storage-class`
  return {
    handles: (request) => isCreation(request, '', 'persistentvolumeclaims'),
    mutate({ object }) {
      const claim = object as PersistentVolumeClaim | undefined
      if (claim === undefined || claim.spec?.storageClassName !== undefined) return claim
      if (Object.hasOwn(claim.metadata.annotations ?? {}, betaAnnotation)) return claim
      const path = `apis/storage.${api}/v1/storageclasses`
      const storageClassName = findDefaultClass(context, path, defaultMarks)
      return storageClassName ? { ...claim, spec: { ...claim.spec, storageClassName } } : claim
    },
  }
}
