import type { Service } from '../../../generated/apis/core/v1/service.ts'
import { isMainResource, isResource, isWrite } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/**
 * DenyServiceExternalIPs rejects external IPs of services, except those that a service has already.
 * Removing some of them is always possible, so that existing services can be cleaned up.
 */
export const denyServiceExternalIPs: PluginFactory = () => ({
  handles: (request) =>
    isResource(request, '', 'services') && isMainResource(request) && isWrite(request),
  validate(attributes) {
    const allowed = new Set((attributes.oldObject as Service | undefined)?.spec?.externalIPs)
    const requested = (attributes.object as Service | undefined)?.spec?.externalIPs ?? []
    if (requested.every((ip) => allowed.has(ip))) return
    throw forbidden(attributes, 'Use of external IPs is denied by admission control')
  },
})
