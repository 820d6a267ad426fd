import type {
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyStatus,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import { expressionsIn } from '../../cel/cel.ts'
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { Check } from '../../kernel/walker/field.ts'
import { compilePolicy } from '../../policy/policy.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { checkCompiled } from './match-conditions.ts'
import {
  checkAnnotations,
  checkValidations,
  checkVariables,
  toPolicySpec,
} from './policy-expressions.ts'

/** A policy says what it matches, and its expressions compile (supplement Q-11). */
export const admissionPolicy: Strategy<ValidatingAdmissionPolicy> = {
  checkStatus: (object) => checkTypeChecking(object.child('status')),
  check(object, { platform }) {
    const spec = object.child('spec')
    const compiled = compilePolicy(
      toPolicySpec(spec.value),
      platform.brand,
      expressionsIn(object.old),
    )
    spec.when('paramKind', checkParamKind)
    const { matchConstraints } = spec.value
    if (matchConstraints === undefined) spec.required('matchConstraints')
    else {
      spec.visit('matchConstraints')
      if (!matchConstraints.resourceRules?.length) spec.required('matchConstraints.resourceRules')
    }
    checkCompiled(spec, compiled.conditions)
    checkVariables(spec, compiled)
    checkValidations(spec, compiled)
    checkAnnotations(spec, object.value.metadata?.name ?? '', compiled)
  },
}

const checkParamKind: Check<ParamKind> = (field) => {
  const { apiVersion = '', kind = '' } = field.value
  checkApiVersion(field, apiVersion)
  if (kind === '') field.required('kind')
  field.checkText('kind', () =>
    dns1035LabelProblems(kind.toLowerCase()).map(
      (why) => `may have mixed case, but should otherwise match: ${why}`,
    ),
  )
}

function checkApiVersion(field: Parameters<typeof checkParamKind>[0], apiVersion: string) {
  if (apiVersion === '') return field.required('apiVersion')
  const parts = apiVersion.split('/')
  if (parts.length > 2) {
    return field.invalid('apiVersion', `unexpected GroupVersion string: ${apiVersion}`)
  }
  const [group, version = ''] = parts.length === 2 ? parts : ['', apiVersion]
  if (group) field.invalidAll('apiVersion', dnsSubdomainProblems(group), group)
  if (version === '') field.invalid('apiVersion', 'version must be specified')
  else field.invalidAll('apiVersion', dns1035LabelProblems(version), version)
}

const checkTypeChecking: Check<ValidatingAdmissionPolicyStatus> = (status) => {
  status.child('typeChecking').each('expressionWarnings', (one) => {
    if (!one.value.warning) one.required('warning')
    if (!one.value.fieldRef?.trim()) one.required('fieldRef')
  })
  status.visit('conditions')
}
