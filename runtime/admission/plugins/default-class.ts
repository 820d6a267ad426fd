/** The class that objects get which name none: the newest of those that call themselves the default (supplement Q-19). */
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Ingress } from '../../../generated/apis/networking/v1/ingress.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { isMainResource, isResource } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { listObjects, type PluginContext } from '../chain/plugin-context.ts'

/** Claims of storage. */
export const defaultStorageClass: PluginFactory = (world) => {
  const { api, domain } = world.scheme.platform
  const keys = ['', 'beta.'].map((level) => `storageclass.${level}${domain}/is-default-class`)
  return {
    handles: (place) =>
      isResource(place, '', 'persistentvolumeclaims') &&
      isMainResource(place) &&
      place.operation === 'CREATE',
    mutate({ object }) {
      const claim = object as PersistentVolumeClaim | undefined
      const older = `volume.beta.${domain}/storage-class`
      if (claim === undefined || Object.hasOwn(claim.metadata.annotations ?? {}, older))
        return claim
      if (claim.spec?.storageClassName !== undefined) return claim
      const found = findDefaultClass(world, `apis/storage.${api}/v1/storageclasses`, keys)
      return !found ? claim : { ...claim, spec: { ...claim.spec, storageClassName: found } }
    },
  }
}

/** Ingresses. */
export const defaultIngressClass: PluginFactory = (world) => {
  const { api, domain } = world.scheme.platform
  const keys = [`ingressclass.${domain}/is-default-class`]
  return {
    handles: (place) =>
      isResource(place, `networking.${api}`, 'ingresses') &&
      isMainResource(place) &&
      place.operation === 'CREATE',
    mutate({ object }) {
      const ingress = object as Ingress | undefined
      const older = `${domain}/ingress.class`
      if (ingress === undefined) return undefined
      if (Object.hasOwn(ingress.metadata.annotations ?? {}, older)) return ingress
      if (ingress.spec?.ingressClassName !== undefined) return ingress
      const found = findDefaultClass(world, `apis/networking.${api}/v1/ingressclasses`, keys)
      return !found ? ingress : { ...ingress, spec: { ...ingress.spec, ingressClassName: found } }
    },
  }
}

function findDefaultClass(
  world: PluginContext,
  path: string,
  keys: readonly string[],
): string | undefined {
  const marked = listObjects(world, path).filter(({ metadata }) =>
    keys.some((key) => metadata.annotations?.[key] === 'true'),
  )
  return marked.reduce<ApiObject | undefined>(
    (best, one) => (best === undefined || creationTimeOf(one) > creationTimeOf(best) ? one : best),
    undefined,
  )?.metadata.name
}

function creationTimeOf({ metadata }: ApiObject): string {
  return metadata.creationTimestamp ?? ''
}
