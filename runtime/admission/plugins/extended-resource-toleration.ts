import type { Toleration } from '../../../generated/apis/core/v1/scheduling.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { containersOf, isPodWrite, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

/** Nodes with special devices may be tainted by the devices' names: who asks for one may go there (supplement Q-27). */
export const extendedResourceToleration: PluginFactory = ({ scheme }) => {
  const own = `${scheme.platform.domain}/`
  const isExtended = (name: string) => name.includes('/') && !name.includes(own)
  return {
    handles: (place) =>
      isPodWrite(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE'),
    mutate({ object }) {
      if (object === undefined) return object
      const spec = podSpecOf(object)
      const asked = containersOf(spec).flatMap(({ resources }) =>
        Object.keys(resources?.requests ?? {}).filter(isExtended),
      )
      const given = spec.tolerations ?? []
      const wanted = [...new Set(asked)].sort().map(tolerationOf)
      const missing = wanted.filter((one) => !given.some((other) => isSameToleration(one, other)))
      return missing.length === 0
        ? object
        : withPodSpec(object, { tolerations: [...given, ...missing] })
    },
  }
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' }
}

function isSameToleration(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.operator === b.operator && a.effect === b.effect && !b.value
}
