import { forbidden } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { isPodWrite, podSpecOf } from './pods/pod-spec.ts'

/** Pods keep others away from their node at most: whole zones are not for one pod to close (supplement Q-27). */
export const limitPodHardAntiAffinityTopology: PluginFactory = ({ scheme }) => {
  const node = `${scheme.platform.domain}/hostname`
  return {
    handles: (place) =>
      isPodWrite(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE'),
    validate(subject) {
      const { podAntiAffinity } = podSpecOf(subject.object).affinity ?? {}
      const terms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      const wide = terms.find(({ topologyKey }) => topologyKey !== node)
      if (wide === undefined) return
      throw forbidden(
        subject,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${node} is allowed`,
      )
    },
  }
}
