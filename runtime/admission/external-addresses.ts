import type { Service } from '../../generated/apis/core/v1/service.ts'
import { isResource, isWhole } from './attempt.ts'
import type { PluginFactory } from './plugin.ts'
import { forbidden } from './refusal.ts'

/** Services get no external addresses beyond those that they have. */
export const denyServiceExternalIPs: PluginFactory = () => ({
  handles: (place) =>
    isResource(place, '', 'services') &&
    isWhole(place) &&
    (place.operation === 'CREATE' || place.operation === 'UPDATE'),
  validate(subject) {
    const had = new Set((subject.old as Service | undefined)?.spec?.externalIPs)
    const wanted = (subject.object as Service | undefined)?.spec?.externalIPs ?? []
    if (wanted.every((one) => had.has(one))) return
    throw forbidden(subject, 'Use of external IPs is denied by admission control')
  },
})
