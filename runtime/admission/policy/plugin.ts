import { isWhole, type Place } from '../attempt.ts'
import type { PluginFactory } from '../plugin.ts'
import { isAnyAt, type World } from '../world.ts'

/** The gate of policies: without it they are stored and have no effect. */
export const policyGate = 'ValidatingAdmissionPolicy'

/**
 * Policies that are stored as objects look at every request but those about themselves (supplement Q-11). These are only
 * asked whether their author may read what they show. Who has no policies never loads what carries them out.
 */
export const validatingPolicies: PluginFactory = (world) => {
  const inForce = world.gates.has(policyGate)
  const { api } = world.tree.platform
  const bindings = `apis/admissionregistration.${api}/v1beta1/validatingadmissionpolicybindings`
  return {
    handles: (place) => (isPolicy(place, world) ? isAuthored(place) : inForce),
    validate(subject, voice) {
      if (isPolicy(subject, world)) {
        return import('./param-rights.ts').then((room) => room.checkParamRights(world, subject))
      }
      if (!isAnyAt(world, bindings)) return
      return import('./enforce.ts').then((room) => room.enforce(world, subject, voice))
    },
  }
}

const ownResources = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings']

/** Policies could not be repaired through one that refuses everything. */
function isPolicy({ resource }: Place, { tree: { platform } }: World): boolean {
  const { group, plural } = resource
  return group === `admissionregistration.${platform.api}` && ownResources.includes(plural)
}

function isAuthored(place: Place): boolean {
  return isWhole(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE')
}
