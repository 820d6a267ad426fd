import type {
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import { pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { Check } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

const repeated =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

/** A binding names a policy, finds its parameters one way, and says what follows from a refusal (supplement Q-11). */
export const admissionPolicyBinding: Strategy<ValidatingAdmissionPolicyBinding> = {
  check(object) {
    const spec = object.child('spec')
    spec.visit('policyName', 'paramRef', 'matchResources')
    const actions = spec.value.validationActions ?? []
    if (actions.length === 0) {
      spec.required('validationActions', 'at least one validation action is required')
    } else if (actions.includes('Deny') && actions.includes('Warn')) {
      spec.invalid('validationActions', repeated)
    }
  },
}

/** The parameters by their name or by their labels. */
export const paramRef: Check<ParamRef> = (ref) => {
  const { name = '', selector, parameterNotFoundAction } = ref.value
  const both = name !== '' && selector !== undefined
  const why = 'name and selector are mutually exclusive'
  ref.invalidAll('name', pathSegmentProblems(name), name)
  if (both) ref.forbidden('name', why)
  ref.visit('selector')
  if (both) ref.forbidden('selector', why)
  if (name === '' && selector === undefined) {
    ref.required('', 'one of name or selector must be specified')
  }
  if (!parameterNotFoundAction) ref.required('parameterNotFoundAction')
}
