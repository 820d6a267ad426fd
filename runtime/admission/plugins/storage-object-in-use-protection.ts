import { isMainResource, isResource } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/** Claims and volumes do not go while they are used: controllers take the mark off (supplement X-21). */
export const storageObjectInUseProtection: PluginFactory = ({ scheme }) => {
  const { domain } = scheme.platform
  const marks: Readonly<Record<string, string>> = {
    persistentvolumeclaims: `${domain}/pvc-protection`,
    persistentvolumes: `${domain}/pv-protection`,
  }
  return {
    handles: (place) =>
      isResource(place, '', ...Object.keys(marks)) &&
      isMainResource(place) &&
      place.operation === 'CREATE',
    mutate({ object, resource }) {
      const mark = marks[resource.plural]
      const given = object?.metadata.finalizers ?? []
      if (object === undefined || mark === undefined || given.includes(mark)) return object
      return { ...object, metadata: { ...object.metadata, finalizers: [...given, mark] } }
    },
  }
}
