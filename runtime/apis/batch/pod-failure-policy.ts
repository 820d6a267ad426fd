/** What a schema cannot say of the rules for failed pods of a job. */
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, invalidAll } from '../types/field-errors.ts'
import type { JobSpec, PodFailureRule } from './job-shapes.ts'

type ExitCodes = NonNullable<PodFailureRule['onExitCodes']>

/** Each rule asks one thing, of containers that there are. */
export function checkFailurePolicy(path: string, spec: JobSpec): readonly FieldError[] {
  const { containers, initContainers } = spec.template?.spec ?? {}
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name))
  return (spec.podFailurePolicy?.rules ?? []).flatMap((rule, index) => {
    const at = `${path}.rules[${index}]`
    const perIndex = rule.action === 'FailIndex' && spec.backoffLimitPerIndex === undefined
    const needed = 'requires the backoffLimitPerIndex to be set'
    return [
      ...(perIndex ? [invalid(`${at}.action`, rule.action, needed)] : []),
      ...checkRequirement(at, rule),
      ...(rule.onExitCodes ? checkExitCodes(`${at}.onExitCodes`, rule.onExitCodes, names) : []),
      ...checkConditions(`${at}.onPodConditions`, rule),
    ]
  })
}

function checkRequirement(path: string, rule: PodFailureRule): readonly FieldError[] {
  const codes = rule.onExitCodes !== undefined
  const conditions = (rule.onPodConditions?.length ?? 0) > 0
  if (codes !== conditions) return []
  const why = codes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required'
  return [invalid(path, '', why)]
}

function checkExitCodes(
  path: string,
  { containerName, operator, values: given }: ExitCodes,
  names: ReadonlySet<string | undefined>,
): readonly FieldError[] {
  const values = given ?? []
  const unknown = containerName !== undefined && !names.has(containerName)
  const where = 'must be one of the container or initContainer names in the pod template'
  const ordered = values.every((value, index) => index === 0 || value >= values[index - 1]!)
  return [
    ...(unknown ? [invalid(`${path}.containerName`, containerName, where)] : []),
    ...(values.length === 0
      ? [invalid(`${path}.values`, values, 'at least one value is required')]
      : []),
    ...(ordered ? [] : [invalid(`${path}.values`, values, 'must be ordered')]),
    ...(operator === 'In' ? checkFailures(`${path}.values`, values) : []),
  ]
}

function checkFailures(path: string, values: readonly number[]): readonly FieldError[] {
  const index = values.indexOf(0)
  return index < 0 ? [] : [invalid(`${path}[${index}]`, 0, 'must not be 0 for the In operator')]
}

function checkConditions(path: string, { onPodConditions }: PodFailureRule): readonly FieldError[] {
  return (onPodConditions ?? []).flatMap(({ type = '' }, index) =>
    invalidAll(`${path}[${index}].type`, type, qualifiedNameProblems(type)),
  )
}
