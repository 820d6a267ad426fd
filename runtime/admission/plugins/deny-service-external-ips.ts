import type { Service } from '../../../generated/apis/core/v1/service.ts'
import { isMainResource, isResource } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/** Services get no external addresses beyond those that they have. */
export const denyServiceExternalIPs: PluginFactory = () => ({
  handles: (place) =>
    isResource(place, '', 'services') &&
    isMainResource(place) &&
    (place.operation === 'CREATE' || place.operation === 'UPDATE'),
  validate(subject) {
    const had = new Set((subject.old as Service | undefined)?.spec?.externalIPs)
    const wanted = (subject.object as Service | undefined)?.spec?.externalIPs ?? []
    if (wanted.every((one) => had.has(one))) return
    throw forbidden(subject, 'Use of external IPs is denied by admission control')
  },
})
