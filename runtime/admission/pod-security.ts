import type { Finding } from '../kernel/read.ts'
import { isResource, isWhole, type Place, type Subject, type Voice } from './attempt.ts'
import type { PluginFactory } from './plugin.ts'
import { isPod } from './pods.ts'
import { forbidden } from './refusal.ts'
import { evaluate, printViolations } from './security/evaluate.ts'
import { type LevelVersion, noPolicy, policyOf, printLevel } from './security/levels.ts'
import { checkNamespace } from './security/namespaces.ts'
import { isSignificant } from './security/significant.ts'
import { type PodLike, templateOf } from './security/templates.ts'
import { type PodSecurityRules, podSecurityRules } from './settings.ts'
import { looking, resourceAt, type Stored } from './world.ts'

/**
 * Pods keep to the level of security that labels of their namespace name: what is enforced is refused, what is audited and
 * warned of is told, also of objects that only have a template for pods (supplement Q-20).
 */
export const podSecurity: PluginFactory = (world) => {
  const { domain } = world.tree.platform
  const keys = `pod-security.${domain}/`
  const policies = new WeakMap<Stored, Known>()
  const rules = podSecurityRules(world.settings.PodSecurity)
  return {
    handles: (place) =>
      (place.operation === 'CREATE' || place.operation === 'UPDATE') &&
      (isNamespace(place) || isPod(place) || isDebugged(place) || templateOf(place) !== undefined),
    validate(subject, voice) {
      if (isNamespace(subject)) return checkNamespace(world, keys, rules, subject, voice)
      const exempt = exemption(rules, subject)
      if (exempt !== undefined) voice.annotate(`${keys}exempt`, exempt)
      const namespaces = resourceAt(world, 'api/v1/namespaces')
      if (exempt !== undefined || namespaces === undefined) return
      return looking(world, namespaces, subject.namespace ?? '', undefined, (found) => {
        if (found === undefined) return
        const policy = policies.get(found) ?? policyOf(keys, labelsOf(found), rules.defaults)
        policies.set(found, policy)
        judge(keys, rules, policy, subject, voice)
      })
    },
  }
}

type Known = ReturnType<typeof policyOf>

function judge(
  keys: string,
  { runtimeClasses }: PodSecurityRules,
  known: Known,
  subject: Subject,
  voice: Voice,
): void {
  const { policy, findings } = known
  const pods = subject.resource.plural === 'pods'
  if (isOpen(known, pods)) {
    if (pods) voice.annotate(`${keys}enforce-policy`, printLevel(noPolicy.enforce))
    return
  }
  const { object, old } = subject
  const pod = pods ? (object as PodLike | undefined) : templateOf(subject)?.(object)
  if (pod?.spec === undefined) return
  if (pods && old !== undefined && !isSignificant(pod, old as PodLike)) return
  if (runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
    voice.annotate(`${keys}exempt`, 'runtimeClass')
    return
  }
  if (findings.length > 0)
    voice.annotate(`${keys}error`, `Failed to parse policy: ${textOf(findings)}`)
  const refusal = pods ? enforced(subject, keys, policy.enforce, pod, voice) : undefined
  const audited = violationsOf(policy.audit, pod)
  if (audited !== undefined) voice.annotate(`${keys}audit-violations`, audited)
  if (refusal !== undefined) throw refusal
  const warning = violationsOf(policy.warn, pod)
  if (warning !== undefined) voice.warn(warning)
}

/** Why a request is not looked at at all: its namespace or its user is exempt. */
function exemption(
  { namespaces, usernames }: PodSecurityRules,
  { namespace, caller }: Subject,
): string | undefined {
  if (namespaces.has(namespace ?? '')) return 'namespace'
  return usernames.has(caller.username) ? 'user' : undefined
}

function labelsOf(namespace: Stored) {
  return namespace.object().metadata.labels
}

/** True if nothing is to be said of a pod, or of a template, whatever it is. */
function isOpen({ policy: { enforce, audit, warn }, findings }: Known, pods: boolean): boolean {
  const levels = pods ? [enforce, audit, warn] : [audit, warn]
  return findings.length === 0 && levels.every(({ level }) => level === 'privileged')
}

function enforced(subject: Subject, keys: string, level: LevelVersion, pod: PodLike, voice: Voice) {
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

function textOf(findings: readonly Finding[]): string {
  const texts = findings.map(({ path, message }) => `${path}: ${message}`)
  return texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`
}

function isNamespace(place: Place): boolean {
  return isResource(place, '', 'namespaces') && isWhole(place)
}

/** True for the path on which containers for debugging come into a pod. */
function isDebugged(place: Place): boolean {
  return isResource(place, '', 'pods') && place.subresource === 'ephemeralcontainers'
}
