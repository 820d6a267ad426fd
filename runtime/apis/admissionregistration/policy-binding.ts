/** The rules of bindings, which put policies into effect (supplement Q-11). */
import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import { dnsSubdomainProblems, pathSegmentProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { forbidden, invalid, invalidAll, required } from '../types/field-errors.ts'
import { checkSelector } from '../types/label-selectors.ts'
import type { List } from '../types/shapes.ts'
import { checkMatchResources, type MatchResources } from './match-resources.ts'

interface Binding extends ApiObject {
  readonly spec?: {
    readonly policyName?: string
    readonly paramRef?: ParamRef
    readonly matchResources?: MatchResources
    readonly validationActions?: List<string>
  }
}

interface ParamRef {
  readonly name?: string
  readonly selector?: LabelSelectorFields
  readonly parameterNotFoundAction?: string
}

type FieldErrors = readonly FieldError[]

/** A binding names a policy, finds its parameters one way, and says what is to be done about what it refuses. */
export const admissionPolicyBinding: Strategy = {
  validate(object) {
    const {
      policyName = '',
      paramRef,
      matchResources,
      validationActions,
    } = (object as Binding).spec ?? {}
    return [
      ...(policyName === ''
        ? [required('spec.policyName')]
        : invalidAll('spec.policyName', policyName, dnsSubdomainProblems(policyName))),
      ...(paramRef ? checkParamRef('spec.paramRef', paramRef) : []),
      ...(matchResources ? checkMatchResources('spec.matchResources', matchResources) : []),
      ...checkActions('spec.validationActions', validationActions ?? []),
    ]
  },
}

const exclusive = 'name and selector are mutually exclusive'

function checkParamRef(path: string, { name = '', selector, ...rest }: ParamRef): FieldErrors {
  const both = name !== '' && selector !== undefined
  return [
    ...invalidAll(`${path}.name`, name, pathSegmentProblems(name)),
    ...(both ? [forbidden(`${path}.name`, exclusive)] : []),
    ...(selector ? checkSelector(`${path}.selector`, selector) : []),
    ...(both ? [forbidden(`${path}.selector`, exclusive)] : []),
    ...(name === '' && selector === undefined
      ? [required(path, 'one of name or selector must be specified')]
      : []),
    ...(rest.parameterNotFoundAction ? [] : [required(`${path}.parameterNotFoundAction`)]),
  ]
}

const repeated =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

function checkActions(path: string, actions: readonly string[]): FieldErrors {
  if (actions.length === 0) return [required(path, 'at least one validation action is required')]
  const both = actions.includes('Deny') && actions.includes('Warn')
  return both ? [invalid(path, actions, repeated)] : []
}
