import type { PluginFactory } from './plugin.ts'
import { isPod, specOf } from './pods.ts'
import { forbidden } from './refusal.ts'

/** Pods keep others away from their node at most: whole zones are not for one pod to close (supplement Q-27). */
export const limitPodHardAntiAffinityTopology: PluginFactory = ({ tree }) => {
  const node = `${tree.platform.domain}/hostname`
  return {
    handles: (place) =>
      isPod(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE'),
    validate(subject) {
      const { podAntiAffinity } = specOf(subject.object).affinity ?? {}
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
