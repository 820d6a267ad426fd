import { isMainResource, isResource } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/** StorageObjectInUseProtection adds the finalizers that keep claims and volumes while they are in use (supplement X-21). */
export const storageObjectInUseProtection: PluginFactory = ({ scheme }) => {
  const { domain } = scheme.platform
  const finalizerOf: Readonly<Record<string, string>> = {
    persistentvolumeclaims: `${domain}/pvc-protection`,
    persistentvolumes: `${domain}/pv-protection`,
  }
  return {
    handles: (request) =>
      request.operation === 'CREATE' &&
      isResource(request, '', ...Object.keys(finalizerOf)) &&
      isMainResource(request),
    mutate({ object, resource }) {
      const finalizer = finalizerOf[resource.plural]
      const finalizers = object?.metadata.finalizers ?? []
      if (object === undefined || finalizer === undefined) return object
      if (finalizers.includes(finalizer)) return object
      const metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] }
      return { ...object, metadata }
    },
  }
}
