/** The rules of bindings, which put policies into effect (supplement Q-11). */
import type { LabelSelectorLike } from '../kernel/labels.ts'
import { dnsSubdomainProblems, pathSegmentProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { forbidden, invalid, problems, required } from './findings.ts'
import type { Rule } from './kinds.ts'
import { checkMatchResources, type MatchResources } from './match-resources.ts'
import { checkSelector } from './selectors.ts'
import type { List } from './shapes.ts'

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
  readonly selector?: LabelSelectorLike
  readonly parameterNotFoundAction?: string
}

type Findings = readonly Finding[]

/** A binding names a policy, finds its parameters one way, and says what is to be done about what it refuses. */
export const admissionPolicyBinding: Rule = {
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
        : problems('spec.policyName', policyName, dnsSubdomainProblems(policyName))),
      ...(paramRef ? checkParamRef('spec.paramRef', paramRef) : []),
      ...(matchResources ? checkMatchResources('spec.matchResources', matchResources) : []),
      ...checkActions('spec.validationActions', validationActions ?? []),
    ]
  },
}

const exclusive = 'name and selector are mutually exclusive'

function checkParamRef(path: string, { name = '', selector, ...rest }: ParamRef): Findings {
  const both = name !== '' && selector !== undefined
  return [
    ...problems(`${path}.name`, name, pathSegmentProblems(name)),
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

function checkActions(path: string, actions: readonly string[]): Findings {
  if (actions.length === 0) return [required(path, 'at least one validation action is required')]
  const both = actions.includes('Deny') && actions.includes('Warn')
  return both ? [invalid(path, actions, repeated)] : []
}
