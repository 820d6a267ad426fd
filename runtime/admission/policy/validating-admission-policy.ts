import { isMainResource, type ResourceOperation } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { hasObjects, type PluginContext } from '../chain/plugin-context.ts'

/** The gate of policies: without it they are stored and have no effect. */
export const validatingAdmissionPolicyGate = 'ValidatingAdmissionPolicy'

/**
 * Policies that are stored as objects look at every request but those about themselves (supplement Q-11). These are only
 * asked whether their author may read what they show. Who has no policies never loads what carries them out.
 */
export const validatingAdmissionPolicy: PluginFactory = (world) => {
  const inForce = world.gates.has(validatingAdmissionPolicyGate)
  const { api } = world.scheme.platform
  const bindings = `apis/admissionregistration.${api}/v1beta1/validatingadmissionpolicybindings`
  return {
    handles: (place) => (isPolicy(place, world) ? isWrite(place) : inForce),
    validate(subject, voice) {
      if (isPolicy(subject, world)) {
        return import('./param-authorization.ts').then((room) =>
          room.authorizeParamAccess(world, subject),
        )
      }
      if (!hasObjects(world, bindings)) return
      return import('./enforce.ts').then((room) => room.enforce(world, subject, voice))
    },
  }
}

const ownResources = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings']

/** Policies could not be repaired through one that refuses everything. */
function isPolicy(
  { resource }: ResourceOperation,
  { scheme: { platform } }: PluginContext,
): boolean {
  const { group, plural } = resource
  return group === `admissionregistration.${platform.api}` && ownResources.includes(plural)
}

function isWrite(place: ResourceOperation): boolean {
  return isMainResource(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE')
}
