import type { Toleration } from '../../../generated/apis/core/v1/scheduling.ts'
import { isWrite } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { containersOf, isPodRequest, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

/**
 * ExtendedResourceToleration adds tolerations for taints named after the extended resources that a pod requests, so that nodes
 * with special devices can be tainted by the names of these (supplement Q-27).
 */
export const extendedResourceToleration: PluginFactory = ({ scheme }) => {
  const nativePrefix = `${scheme.platform.domain}/`
  const isExtended = (name: string) => name.includes('/') && !name.includes(nativePrefix)
  return {
    handles: (request) => isPodRequest(request) && isWrite(request),
    mutate({ object }) {
      if (object === undefined) return object
      const spec = podSpecOf(object)
      const requested = containersOf(spec).flatMap(({ resources }) =>
        Object.keys(resources?.requests ?? {}).filter(isExtended),
      )
      const tolerations = spec.tolerations ?? []
      const required = [...new Set(requested)].sort().map(tolerationOf)
      const missing = required.filter((one) => !tolerations.some((other) => isSame(one, other)))
      if (missing.length === 0) return object
      return withPodSpec(object, { tolerations: [...tolerations, ...missing] })
    },
  }
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' }
}

/** True if the second toleration already does what the first would. */
function isSame(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.operator === b.operator && a.effect === b.effect && !b.value
}
