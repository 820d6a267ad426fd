import { isMainResource, isWrite } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { listStored } from '../chain/plugin-context.ts'
import type { ParamAuthorization } from './param-authorization.ts'
import type { PolicyEnforcer } from './policy-enforcer.ts'
import { isPolicyOrBinding, policyPath } from './policy-resources.ts'

/** The feature gate of policies: while it is off they are stored without effect. */
export const validatingAdmissionPolicyGate = 'ValidatingAdmissionPolicy'

/**
 * ValidatingAdmissionPolicy evaluates policies for every request except those to policies and bindings (supplement Q-11), for
 * which it authorizes the author. The CEL engine is loaded with the first binding: servers without policies start without it.
 */
export const validatingAdmissionPolicy: PluginFactory = (context) => {
  const isEnabled = context.gates.has(validatingAdmissionPolicyGate)
  const bindings = policyPath(context, 'validatingadmissionpolicybindings')
  let enforcer: Promise<PolicyEnforcer> | undefined
  let authorization: Promise<ParamAuthorization> | undefined
  return {
    handles: (request) =>
      isPolicyOrBinding(request, context) ? isMainResource(request) && isWrite(request) : isEnabled,
    validate(attributes, recorder) {
      if (isPolicyOrBinding(attributes, context)) {
        authorization ??= import('./param-authorization.ts').then(
          (module) => new module.ParamAuthorization(context),
        )
        return authorization.then((loaded) => loaded.check(attributes))
      }
      if (listStored(context, bindings).length === 0) return
      enforcer ??= import('./policy-enforcer.ts').then(
        (module) => new module.PolicyEnforcer(context),
      )
      return enforcer.then((loaded) => loaded.enforce(attributes, recorder))
    },
  }
}
