import type { Toleration } from '../../../generated/apis/core/v1/scheduling.ts'
import { isWrite } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { isPodRequest, podSpecOf, withPodSpec } from './pods/pod-spec.ts'

/** Five minutes, in seconds. */
const tolerationSeconds = 300

/**
 * DefaultTolerationSeconds lets pods stay for five minutes on a node that is not ready or unreachable, unless they have a
 * toleration of their own (supplement Q-18).
 */
export const defaultTolerationSeconds: PluginFactory = ({ scheme }) => {
  const { domain } = scheme.platform
  const keys = [`node.${domain}/not-ready`, `node.${domain}/unreachable`]
  return {
    handles: (request) => isPodRequest(request) && isWrite(request),
    mutate({ object }) {
      if (object === undefined) return object
      const tolerations = podSpecOf(object).tolerations ?? []
      const missing = keys.filter((key) => !tolerations.some((one) => toleratesKey(one, key)))
      if (missing.length === 0) return object
      const added = missing.map(
        (key): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }),
      )
      return withPodSpec(object, { tolerations: [...tolerations, ...added] })
    },
  }
}

/** True for a toleration of the taint with the effect NoExecute. An empty key tolerates every taint. */
function toleratesKey({ key, effect }: Toleration, taintKey: string): boolean {
  return (!key || key === taintKey) && (!effect || effect === 'NoExecute')
}
