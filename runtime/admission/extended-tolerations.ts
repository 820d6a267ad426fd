import type { Toleration } from '../../generated/apis/core/v1/scheduling.ts'
import type { PluginFactory } from './plugin.ts'
import { containersOf, isPod, specOf, withSpec } from './pods.ts'

/** Nodes with special devices may be tainted by the devices' names: who asks for one may go there (supplement Q-27). */
export const extendedResourceToleration: PluginFactory = ({ tree }) => {
  const own = `${tree.platform.domain}/`
  const isExtended = (name: string) => name.includes('/') && !name.includes(own)
  return {
    handles: (place) =>
      isPod(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE'),
    mutate({ object }) {
      if (object === undefined) return object
      const spec = specOf(object)
      const asked = containersOf(spec).flatMap(({ resources }) =>
        Object.keys(resources?.requests ?? {}).filter(isExtended),
      )
      const given = spec.tolerations ?? []
      const wanted = [...new Set(asked)].sort().map(tolerationOf)
      const missing = wanted.filter((one) => !given.some((other) => isSame(one, other)))
      return missing.length === 0
        ? object
        : withSpec(object, { tolerations: [...given, ...missing] })
    },
  }
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' }
}

function isSame(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.operator === b.operator && a.effect === b.effect && !b.value
}
