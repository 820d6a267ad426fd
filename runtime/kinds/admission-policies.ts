/** The rules of admission policies: what can be said before a request meets one (supplement Q-11). */
import {
  dns1035LabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { type CompiledPolicy, compilePolicy, type PolicySpec } from '../policy/policy.ts'
import { duplicate, invalid, problems, required, unsupported } from './findings.ts'
import type { Rule } from './kinds.ts'
import { completed, conditionFindings } from './match-conditions.ts'
import { checkMatchResources, type MatchResources } from './match-resources.ts'
import type { List } from './shapes.ts'

interface Spec {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: List<{ readonly name?: string; readonly expression?: string }>
  readonly variables?: List<{ readonly name?: string; readonly expression?: string }>
  readonly validations?: List<Validation>
  readonly auditAnnotations?: List<Annotation>
}

interface Validation {
  readonly expression?: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

interface Annotation {
  readonly key?: string
  readonly valueExpression?: string
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
    const compiled = once(() => compilePolicy(compilable(spec), platform.brand))
    return [
      ...(spec.paramKind ? checkParamKind('spec.paramKind', spec.paramKind) : []),
      ...checkConstraints('spec.matchConstraints', spec.matchConstraints),
      ...conditionFindings(
        'spec.matchConditions',
        completed(spec.matchConditions),
        () => compiled().conditions,
      ),
      ...checkVariables('spec.variables', spec.variables ?? [], compiled),
      ...checkValidations('spec.validations', spec, compiled),
      ...checkAnnotations('spec.auditAnnotations', metadata.name ?? '', spec, compiled),
    ]
  },
}

/** The spec with every expression there, empty where it is missing. */
function compilable(spec: Spec): PolicySpec {
  return {
    ...(spec.paramKind && { paramKind: spec.paramKind }),
    matchConditions: completed(spec.matchConditions),
    variables: completed(spec.variables),
    validations: (spec.validations ?? []).map((one) => ({ expression: '', ...one })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key = '', valueExpression = '' }) => ({
      key,
      valueExpression,
    })),
  }
}

function once<T>(make: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: make() }
    return known.value
  }
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

function checkVariables(
  path: string,
  list: NonNullable<Spec['variables']>,
  compiled: () => CompiledPolicy,
): Findings {
  const names = list.map(({ name }) => name)
  return list.flatMap(({ name = '', expression = '' }, index) => {
    const at = `${path}[${index}]`
    const twice = name !== '' && names.indexOf(name) < index
    return [
      ...(name.trim() === ''
        ? [required(`${at}.name`, 'name is not specified')]
        : isIdentifier(name)
          ? []
          : [invalid(`${at}.name`, name, 'name is not a valid CEL identifier')]),
      ...(twice ? [duplicate(`${at}.name`, name)] : []),
      ...checkExpression(
        `${at}.expression`,
        expression,
        () => compiled().variables[index]?.compiled.problem,
      ),
    ]
  })
}

/** An expression is there and compiles. */
function checkExpression(
  path: string,
  expression: string,
  problem: () => string | undefined,
): Findings {
  if (expression.trim() === '') return [required(path, 'expression is not specified')]
  const why = problem()
  return why === undefined ? [] : [invalid(path, expression, why)]
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
)

function isIdentifier(name: string): boolean {
  return identifier.test(name) && !reserved.has(name)
}

const reasons = ['Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge']

function checkValidations(path: string, spec: Spec, compiled: () => CompiledPolicy): Findings {
  const list = spec.validations ?? []
  if (list.length === 0 && (spec.auditAnnotations ?? []).length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item'
    return [required(path, why), required('spec.auditAnnotations', why)]
  }
  return list.flatMap((one, index) => {
    const at = `${path}[${index}]`
    const { expression = '', reason } = one
    return [
      ...checkExpression(
        `${at}.expression`,
        expression,
        () => compiled().validations[index]?.compiled.problem,
      ),
      ...checkMadeMessage(at, one, () => compiled().validations[index]?.text?.problem),
      ...checkMessage(at, one),
      ...(reason && !reasons.includes(reason)
        ? [unsupported(`${at}.reason`, reason, reasons)]
        : []),
    ]
  })
}

function checkMadeMessage(
  at: string,
  { messageExpression = '' }: Validation,
  problem: () => string | undefined,
): Findings {
  if (messageExpression === '') return []
  const path = `${at}.messageExpression`
  if (messageExpression.trim() === '') {
    return [invalid(path, messageExpression, 'must be non-empty if specified')]
  }
  const why = problem()
  return why === undefined ? [] : [invalid(path, messageExpression, why)]
}

function checkMessage(at: string, { message = '', expression = '' }: Validation): Findings {
  const path = `${at}.message`
  const text = message.trim()
  if (message !== '' && text === '') {
    return [invalid(path, message, 'message must be non-empty if specified')]
  }
  if (lineBreak.test(text)) return [invalid(path, message, 'message must not contain line breaks')]
  const needed = text === '' && lineBreak.test(expression.trim())
  return needed
    ? [required(path, 'message must be specified if expression contains line breaks')]
    : []
}

const lineBreak = /[\n\r]/
const mostAnnotations = 20
const longestValueExpression = 5 * 1024

function checkAnnotations(
  path: string,
  policy: string,
  spec: Spec,
  compiled: () => CompiledPolicy,
): Findings {
  const list = spec.auditAnnotations ?? []
  if (list.length > mostAnnotations) {
    return [invalid(path, list, `must not have more than ${mostAnnotations} auditAnnotations`)]
  }
  const keys = list.map(({ key }) => key)
  return list.flatMap(({ key = '', valueExpression = '' }, index) => {
    const at = `${path}[${index}]`
    const full = `${policy}/${key}`
    return [
      ...problems(`${at}.key`, full, qualifiedNameProblems(full)),
      ...(keys.indexOf(key) < index ? [duplicate(`${at}.key`, key)] : []),
      ...checkValueExpression(
        `${at}.valueExpression`,
        valueExpression,
        () => compiled().annotations[index]?.compiled.problem,
      ),
    ]
  })
}

function checkValueExpression(
  path: string,
  expression: string,
  problem: () => string | undefined,
): Findings {
  const text = expression.trim()
  if (text === '') return [required(path, 'valueExpression is not specified')]
  if (Buffer.byteLength(text) > longestValueExpression) {
    return [required(path, `must not exceed ${longestValueExpression} bytes in length`)]
  }
  const why = problem()
  return why === undefined ? [] : [invalid(path, expression, why)]
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
