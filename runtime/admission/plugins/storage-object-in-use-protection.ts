import { isMainResource, isResource } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { type PluginContext, servedKind } from '../chain/plugin-context.ts'

/**
 * StorageObjectInUseProtection adds the finalizers that keep claims and volumes while they are in use (supplement X-21), which a
 * controller takes away: where the plugin is named they are always added, else while a controller manager holds its lease.
 */
export const storageObjectInUseProtection: PluginFactory = (context) => {
  const { domain } = context.scheme.platform
  const { StorageObjectInUseProtection: { always = false } = {} } = context.settings
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
      if (finalizers.includes(finalizer) || !(always || hasManager(context))) return object
      const metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] }
      return { ...object, metadata }
    },
  }
}

interface Lease {
  readonly spec?: {
    readonly holderIdentity?: string | null
    readonly leaseDurationSeconds?: number | null
    readonly renewTime?: string | null
  }
}

/** True while a controller manager says that it works. */
function hasManager(context: PluginContext): boolean {
  const { api, prefix } = context.scheme.platform
  const kind = servedKind(context, `apis/coordination.${api}/v1/leases`)
  const name = `${prefix}-controller-manager`
  const lease = kind && context.lister.peek(kind, name, `${prefix}-system`)?.object()
  const { holderIdentity, leaseDurationSeconds, renewTime } =
    (lease as Lease | undefined)?.spec ?? {}
  if ((holderIdentity ?? '') === '') return false
  const until = Date.parse(renewTime ?? '') + (leaseDurationSeconds ?? 15) * 1000
  return until > context.clock.now()
}
