/** The rules of admission policies: what can be said before a request meets one (supplement Q-11). */
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { compilePolicy } from '../../policy/policy.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid, invalidAll, required } from '../types/field-errors.ts'
import type { List } from '../types/shapes.ts'
import { conditionErrors } from './match-conditions.ts'
import { checkMatchResources, type MatchResources } from './match-resources.ts'
import {
  checkAnnotations,
  checkValidations,
  checkVariables,
  type Expressions,
  toPolicySpec,
} from './policy-expressions.ts'

interface Spec extends Expressions {
  readonly matchConstraints?: MatchResources
}

interface Status {
  readonly typeChecking?: {
    readonly expressionWarnings?: List<{ readonly fieldRef?: string; readonly warning?: string }>
  }
}

interface Policy extends ApiObject {
  readonly spec?: Spec
  readonly status?: Status
}

type FieldErrors = readonly FieldError[]

/** A policy says what it matches, and its expressions compile. */
export const admissionPolicy: Strategy = {
  validate(object, _, { platform, subresource }) {
    const { metadata, spec = {}, status = {} } = object as Policy
    if (subresource === 'status') return checkStatus(status)
    const compiled = compilePolicy(toPolicySpec(spec), platform.brand)
    return [
      ...(spec.paramKind ? checkParamKind('spec.paramKind', spec.paramKind) : []),
      ...checkConstraints('spec.matchConstraints', spec.matchConstraints),
      ...conditionErrors('spec.matchConditions', spec.matchConditions, compiled.conditions),
      ...checkVariables('spec.variables', spec.variables ?? [], compiled),
      ...checkValidations('spec.validations', spec, compiled),
      ...checkAnnotations('spec.auditAnnotations', metadata.name ?? '', spec, compiled),
    ]
  },
}

function checkParamKind(path: string, given: NonNullable<Spec['paramKind']>): FieldErrors {
  const { apiVersion = '', kind = '' } = given
  const mixed = 'may have mixed case, but should otherwise match: '
  return [
    ...checkApiVersion(`${path}.apiVersion`, apiVersion),
    ...(kind === ''
      ? [required(`${path}.kind`)]
      : dns1035LabelProblems(kind.toLowerCase()).map((why) =>
          invalid(`${path}.kind`, kind, mixed + why),
        )),
  ]
}

function checkApiVersion(path: string, apiVersion: string): FieldErrors {
  if (apiVersion === '') return [required(path)]
  const parts = apiVersion.split('/')
  if (parts.length > 2) {
    return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  }
  const [group, version = ''] = parts.length === 2 ? parts : ['', apiVersion]
  return [
    ...(group ? invalidAll(path, group, dnsSubdomainProblems(group)) : []),
    ...(version === ''
      ? [invalid(path, apiVersion, 'version must be specified')]
      : invalidAll(path, version, dns1035LabelProblems(version))),
  ]
}

function checkConstraints(path: string, constraints: MatchResources | undefined): FieldErrors {
  if (constraints === undefined) return [required(path)]
  const some = (constraints.resourceRules ?? []).length > 0
  return [
    ...checkMatchResources(path, constraints),
    ...(some ? [] : [required(`${path}.resourceRules`)]),
  ]
}

function checkStatus({ typeChecking }: Status): FieldErrors {
  return (typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, index) => {
    const at = `status.typeChecking.expressionWarnings[${index}]`
    return [
      ...(warning ? [] : [required(`${at}.warning`)]),
      ...(fieldRef?.trim() ? [] : [required(`${at}.fieldRef`)]),
    ]
  })
}
