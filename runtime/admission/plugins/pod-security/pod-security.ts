import type { FieldError } from '../../../kernel/validation/field-error.ts'
import {
  type Attributes,
  isMainResource,
  isResource,
  type Recorder,
  type ResourceOperation,
} from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { type StoredObject, servedKind, withStoredObject } from '../../chain/plugin-context.ts'
import { isPodWrite } from '../pods/pod-spec.ts'
import { type PodSecurityOptions, podSecurityOptions } from '../settings.ts'
import { evaluate, printViolations } from './evaluate.ts'
import { type LevelVersion, namespacePolicyOf, printLevel, privilegedPolicy } from './levels.ts'
import { validateNamespace } from './namespace-update.ts'
import { type PodLike, podTemplateGetter } from './pod-templates.ts'
import { isSignificantPodUpdate } from './significant-update.ts'

/**
 * Pods keep to the level of security that labels of their namespace name: what is enforced is refused, what is audited and
 * warned of is told, also of objects that only have a template for pods (supplement Q-20).
 */
export const podSecurity: PluginFactory = (world) => {
  const { domain } = world.scheme.platform
  const keys = `pod-security.${domain}/`
  const policies = new WeakMap<StoredObject, ParsedPolicy>()
  const rules = podSecurityOptions(world.settings.PodSecurity)
  return {
    handles: (place) =>
      (place.operation === 'CREATE' || place.operation === 'UPDATE') &&
      (isNamespace(place) ||
        isPodWrite(place) ||
        isEphemeralContainersWrite(place) ||
        podTemplateGetter(place) !== undefined),
    validate(subject, voice) {
      if (isNamespace(subject)) return validateNamespace(world, keys, rules, subject, voice)
      const exempt = exemption(rules, subject)
      if (exempt !== undefined) voice.annotate(`${keys}exempt`, exempt)
      const namespaces = servedKind(world, 'api/v1/namespaces')
      if (exempt !== undefined || namespaces === undefined) return
      return withStoredObject(world, namespaces, subject.namespace ?? '', undefined, (found) => {
        if (found === undefined) return
        const policy =
          policies.get(found) ?? namespacePolicyOf(keys, labelsOf(found), rules.defaults)
        policies.set(found, policy)
        evaluatePod(keys, rules, policy, subject, voice)
      })
    },
  }
}

type ParsedPolicy = ReturnType<typeof namespacePolicyOf>

function evaluatePod(
  keys: string,
  { runtimeClasses }: PodSecurityOptions,
  known: ParsedPolicy,
  subject: Attributes,
  voice: Recorder,
): void {
  const { policy, findings } = known
  const pods = subject.resource.plural === 'pods'
  if (isFullyPrivileged(known, pods)) {
    if (pods) voice.annotate(`${keys}enforce-policy`, printLevel(privilegedPolicy.enforce))
    return
  }
  const { object, old } = subject
  const pod = pods ? (object as PodLike | undefined) : podTemplateGetter(subject)?.(object)
  if (pod?.spec === undefined) return
  if (pods && old !== undefined && !isSignificantPodUpdate(pod, old as PodLike)) return
  if (runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
    voice.annotate(`${keys}exempt`, 'runtimeClass')
    return
  }
  if (findings.length > 0)
    voice.annotate(`${keys}error`, `Failed to parse policy: ${printErrors(findings)}`)
  const refusal = pods ? enforceLevel(subject, keys, policy.enforce, pod, voice) : undefined
  const audited = violationsOf(policy.audit, pod)
  if (audited !== undefined) voice.annotate(`${keys}audit-violations`, audited)
  if (refusal !== undefined) throw refusal
  const warning = violationsOf(policy.warn, pod)
  if (warning !== undefined) voice.warn(warning)
}

/** Why a request is not looked at at all: its namespace or its user is exempt. */
function exemption(
  { namespaces, usernames }: PodSecurityOptions,
  { namespace, caller }: Attributes,
): string | undefined {
  if (namespaces.has(namespace ?? '')) return 'namespace'
  return usernames.has(caller.username) ? 'user' : undefined
}

function labelsOf(namespace: StoredObject) {
  return namespace.object().metadata.labels
}

/** True if nothing is to be said of a pod, or of a template, whatever it is. */
function isFullyPrivileged(
  { policy: { enforce, audit, warn }, findings }: ParsedPolicy,
  pods: boolean,
): boolean {
  const levels = pods ? [enforce, audit, warn] : [audit, warn]
  return findings.length === 0 && levels.every(({ level }) => level === 'privileged')
}

function enforceLevel(
  subject: Attributes,
  keys: string,
  level: LevelVersion,
  pod: PodLike,
  voice: Recorder,
) {
  voice.annotate(`${keys}enforce-policy`, printLevel(level))
  const violations = evaluate(level, pod)
  if (violations.length === 0) return undefined
  const text = printViolations(violations)
  return forbidden(subject, `violates PodSecurity "${printLevel(level)}": ${text}`)
}

function violationsOf(level: LevelVersion, pod: PodLike): string | undefined {
  const violations = evaluate(level, pod)
  if (violations.length === 0) return undefined
  return `would violate PodSecurity "${printLevel(level)}": ${printViolations(violations)}`
}

function printErrors(findings: readonly FieldError[]): string {
  const texts = findings.map(({ path, message }) => `${path}: ${message}`)
  return texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`
}

function isNamespace(place: ResourceOperation): boolean {
  return isResource(place, '', 'namespaces') && isMainResource(place)
}

/** True for the path on which containers for debugging come into a pod. */
function isEphemeralContainersWrite(place: ResourceOperation): boolean {
  return isResource(place, '', 'pods') && place.subresource === 'ephemeralcontainers'
}
