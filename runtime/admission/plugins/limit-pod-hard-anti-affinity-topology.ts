import { isWrite } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { isPodRequest, podSpecOf } from './pods/pod-spec.ts'

/**
 * LimitPodHardAntiAffinityTopology rejects required anti-affinity over anything wider than a node:
 * one pod could keep all others out of a zone (supplement Q-27). Preferred terms are free, for they
 * keep no pod out. The error names the first term that is too wide.
 */
export const limitPodHardAntiAffinityTopology: PluginFactory = ({ scheme }) => {
  const hostname = `${scheme.platform.domain}/hostname`
  return {
    handles: (request) => isPodRequest(request) && isWrite(request),
    validate(attributes) {
      const { podAntiAffinity } = podSpecOf(attributes.object).affinity ?? {}
      const terms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      const wide = terms.find(({ topologyKey }) => topologyKey !== hostname)
      if (wide === undefined) return
      throw forbidden(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${hostname} is allowed`,
      )
    },
  }
}
