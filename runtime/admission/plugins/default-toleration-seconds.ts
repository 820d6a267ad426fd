import type { Toleration } from '../../../generated/apis/core/v1/scheduling.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { isPodWrite, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

const seconds = 300

/** Pods stay five minutes on a node that is not ready or cannot be reached, unless they say otherwise (supplement Q-18). */
export const defaultTolerationSeconds: PluginFactory = ({ scheme }) => {
  const { domain } = scheme.platform
  const keys = [`node.${domain}/not-ready`, `node.${domain}/unreachable`]
  return {
    handles: (place) =>
      isPodWrite(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE'),
    mutate({ object }) {
      if (object === undefined) return object
      const given = podSpecOf(object).tolerations ?? []
      const missing = keys.filter((key) => !given.some((one) => tolerates(one, key)))
      if (missing.length === 0) return object
      const added = missing.map(
        (key): Toleration => ({
          key,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: seconds,
        }),
      )
      return withPodSpec(object, { tolerations: [...given, ...added] })
    },
  }
}

function tolerates({ key, effect }: Toleration, wanted: string): boolean {
  return (!key || key === wanted) && (!effect || effect === 'NoExecute')
}
