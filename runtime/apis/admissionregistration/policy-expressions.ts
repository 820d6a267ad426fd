/** The expressions of a policy: they are there, they compile, and what goes with them can be shown. */
import type {
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import type { CompiledPolicy, PolicySpec } from '../../policy/policy.ts'
import { toConditions } from './match-conditions.ts'

type Spec = Field<ValidatingAdmissionPolicySpec>

/** The spec with every expression there, empty where it is missing. */
export function toPolicySpec(spec: Loose<ValidatingAdmissionPolicySpec>): PolicySpec {
  return {
    ...(spec.paramKind && { paramKind: spec.paramKind }),
    matchConditions: toConditions(spec.matchConditions),
    variables: toConditions(spec.variables),
    validations: (spec.validations ?? []).map((one) => ({ expression: '', ...one })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key = '', valueExpression = '' }) => ({
      key,
      valueExpression,
    })),
  }
}

/** Variables have names that expressions can use, each once. */
export function checkVariables(spec: Spec, { variables }: CompiledPolicy): void {
  const names = new Set<string>()
  spec.each('variables', (variable, index) => {
    const { name = '' } = variable.value
    if (name.trim() === '') variable.required('name', 'name is not specified')
    else if (!isIdentifier(name)) variable.invalid('name', 'name is not a valid CEL identifier')
    variable.unique('name', names)
    checkExpression(variable, variables[index]?.compiled.problem)
  })
}

/** An expression is there and compiles. */
function checkExpression(
  field: Field<{ readonly expression: string }>,
  problem: string | undefined,
): void {
  if ((field.value.expression ?? '').trim() === '') {
    field.required('expression', 'expression is not specified')
  } else if (problem !== undefined) field.invalid('expression', problem)
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

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']

/** There is something to check or to record, and each validation can say why it fails. */
export function checkValidations(spec: Spec, compiled: CompiledPolicy): void {
  const { validations, auditAnnotations } = spec.value
  if (!validations?.length && !auditAnnotations?.length) {
    const why = 'validations or auditAnnotations must contain at least one item'
    spec.required('validations', why)
    spec.required('auditAnnotations', why)
  }
  spec.each('validations', (validation, index) => {
    const { reason } = validation.value
    checkExpression(validation, compiled.validations[index]?.compiled.problem)
    checkMessageExpression(validation, compiled.validations[index]?.compiledMessage?.problem)
    checkMessage(validation)
    if (reason && !reasons.includes(reason)) validation.unsupported('reason', reasons)
  })
}

function checkMessageExpression(validation: Field<Validation>, problem: string | undefined): void {
  const { messageExpression = '' } = validation.value
  if (messageExpression === '') return
  if (messageExpression.trim() === '') {
    validation.invalid('messageExpression', 'must be non-empty if specified')
  } else if (problem !== undefined) validation.invalid('messageExpression', problem)
}

const lineBreak = /[\n\r]/

function checkMessage(validation: Field<Validation>): void {
  const { message = '', expression = '' } = validation.value
  const text = message.trim()
  if (message !== '' && text === '') {
    validation.invalid('message', 'message must be non-empty if specified')
  } else if (lineBreak.test(text)) {
    validation.invalid('message', 'message must not contain line breaks')
  } else if (text === '' && lineBreak.test(expression.trim())) {
    const why = 'message must be specified if expression contains line breaks'
    validation.required('message', why)
  }
}

const mostAnnotations = 20
const longestValueExpression = 5 * 1024

/** Annotations of audit events have keys below the policy's name, each once, and bounded expressions. */
export function checkAnnotations(spec: Spec, policy: string, compiled: CompiledPolicy) {
  if ((spec.value.auditAnnotations ?? []).length > mostAnnotations) {
    const why = `must not have more than ${mostAnnotations} auditAnnotations`
    return spec.invalid('auditAnnotations', why)
  }
  const keys = new Set<string>()
  spec.each('auditAnnotations', (annotation, index) => {
    const { key = '', valueExpression = '' } = annotation.value
    const full = `${policy}/${key}`
    annotation.invalidAll('key', qualifiedNameProblems(full), full)
    annotation.distinct('key', keys)
    const text = valueExpression.trim()
    const problem = compiled.annotations[index]?.compiled.problem
    if (text === '') annotation.required('valueExpression', 'valueExpression is not specified')
    else if (Buffer.byteLength(text) > longestValueExpression) {
      const why = `must not exceed ${longestValueExpression} bytes in length`
      annotation.required('valueExpression', why)
    } else if (problem !== undefined) annotation.invalid('valueExpression', problem)
  })
}
