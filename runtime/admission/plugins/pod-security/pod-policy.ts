import type { StatusError } from '../../../kernel/errors/status-error.ts'
import type { Attributes, Recorder } from '../../chain/attributes.ts'
import { forbidden, printFieldErrors } from '../../chain/errors.ts'
import { evaluate, printViolations } from './evaluate.ts'
import { type LevelVersion, printLevel } from './levels.ts'
import { type ParsedPolicy, privilegedPolicy } from './namespace-policy.ts'
import type { PodSecurityOptions } from './options.ts'
import { type PodLike, podTemplateGetter } from './pod-templates.ts'
import { isSignificantPodUpdate } from './significant-update.ts'

/**
 * Holds a pod, or the pod template of an object, to the policy of its namespace.
 *
 * Annotations are set before the error, so that the audit event of a rejected pod has them; no
 * warning goes out with a rejection. Templates are never rejected: the pods made from them are.
 *
 * @throws StatusError (Forbidden) for a pod that violates the enforced level
 */
export function enforcePolicy(
  { prefix, runtimeClasses }: PodSecurityOptions,
  parsed: ParsedPolicy,
  attributes: Attributes,
  recorder: Recorder,
): void {
  const isPod = attributes.resource.plural === 'pods'
  const annotate = (key: string, value: string) => recorder.annotate(`${prefix}${key}`, value)
  if (isUnrestricted(parsed, isPod)) {
    if (isPod) annotate('enforce-policy', printLevel(privilegedPolicy.enforce))
    return
  }
  const pod = changedPod(attributes, isPod)
  if (pod?.spec === undefined) return
  if (runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
    annotate('exempt', 'runtimeClass')
    return
  }
  const { policy, errors } = parsed
  if (errors.length > 0) annotate('error', `Failed to parse policy: ${printFieldErrors(errors)}`)
  if (isPod) annotate('enforce-policy', printLevel(policy.enforce))
  const audited = wouldViolate(policy.audit, pod)
  if (audited !== undefined) annotate('audit-violations', audited)
  const error = isPod ? violationError(attributes, policy.enforce, pod) : undefined
  if (error !== undefined) throw error
  const warning = wouldViolate(policy.warn, pod)
  if (warning !== undefined) recorder.warn(warning)
}

/** True if the policy lets every pod, or template, pass without audit and warning. */
function isUnrestricted({ policy, errors }: ParsedPolicy, isPod: boolean): boolean {
  const { enforce, audit, warn } = policy
  const applied = isPod ? [enforce, audit, warn] : [audit, warn]
  return errors.length === 0 && applied.every(({ level }) => level === 'privileged')
}

/** The pod or pod template of a request; undefined for an update that cannot make a pod less secure. */
function changedPod(attributes: Attributes, isPod: boolean): PodLike | undefined {
  const { object, oldObject } = attributes
  if (!isPod) return podTemplateGetter(attributes)?.(object)
  const pod = object as PodLike | undefined
  const isInsignificant =
    pod !== undefined &&
    oldObject !== undefined &&
    !isSignificantPodUpdate(pod, oldObject as PodLike)
  return isInsignificant ? undefined : pod
}

function violationError(
  attributes: Attributes,
  level: LevelVersion,
  pod: PodLike,
): StatusError | undefined {
  const violations = evaluate(level, pod)
  if (violations.length === 0) return undefined
  const text = printViolations(violations)
  return forbidden(attributes, `violates PodSecurity "${printLevel(level)}": ${text}`)
}

function wouldViolate(level: LevelVersion, pod: PodLike): string | undefined {
  const violations = evaluate(level, pod)
  if (violations.length === 0) return undefined
  return `would violate PodSecurity "${printLevel(level)}": ${printViolations(violations)}`
}
