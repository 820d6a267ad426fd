/** The rules of admission policies: what can be said before a request meets one (supplement Q-11). */
import { dns1035LabelProblems, dnsSubdomainProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { compilePolicy } from '../policy/policy.ts'
import { invalid, problems, required } from './findings.ts'
import type { Rule } from './kinds.ts'
import { conditionFindings } from './match-conditions.ts'
import { checkMatchResources, type MatchResources } from './match-resources.ts'
import {
  checkAnnotations,
  checkValidations,
  checkVariables,
  compilable,
  type Expressions,
} from './policy-expressions.ts'
import type { List } from './shapes.ts'

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

type Findings = readonly Finding[]

/** A policy says what it matches, and its expressions compile. */
export const admissionPolicy: Rule = {
  validate(object, _, { platform, subresource }) {
    const { metadata, spec = {}, status = {} } = object as Policy
    if (subresource === 'status') return checkStatus(status)
    const compiled = compilePolicy(compilable(spec), platform.brand)
    return [
      ...(spec.paramKind ? checkParamKind('spec.paramKind', spec.paramKind) : []),
      ...checkConstraints('spec.matchConstraints', spec.matchConstraints),
      ...conditionFindings('spec.matchConditions', spec.matchConditions, compiled.conditions),
      ...checkVariables('spec.variables', spec.variables ?? [], compiled),
      ...checkValidations('spec.validations', spec, compiled),
      ...checkAnnotations('spec.auditAnnotations', metadata.name ?? '', spec, compiled),
    ]
  },
}

function checkParamKind(path: string, given: NonNullable<Spec['paramKind']>): Findings {
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

function checkApiVersion(path: string, apiVersion: string): Findings {
  if (apiVersion === '') return [required(path)]
  const parts = apiVersion.split('/')
  if (parts.length > 2) {
    return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  }
  const [group, version = ''] = parts.length === 2 ? parts : ['', apiVersion]
  return [
    ...(group ? problems(path, group, dnsSubdomainProblems(group)) : []),
    ...(version === ''
      ? [invalid(path, apiVersion, 'version must be specified')]
      : problems(path, version, dns1035LabelProblems(version))),
  ]
}

function checkConstraints(path: string, constraints: MatchResources | undefined): Findings {
  if (constraints === undefined) return [required(path)]
  const some = (constraints.resourceRules ?? []).length > 0
  return [
    ...checkMatchResources(path, constraints),
    ...(some ? [] : [required(`${path}.resourceRules`)]),
  ]
}

function checkStatus({ typeChecking }: Status): Findings {
  return (typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, index) => {
    const at = `status.typeChecking.expressionWarnings[${index}]`
    return [
      ...(warning ? [] : [required(`${at}.warning`)]),
      ...(fieldRef?.trim() ? [] : [required(`${at}.fieldRef`)]),
    ]
  })
}
