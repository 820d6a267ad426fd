import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { isResource, isWhole, type Place, type Subject, type Voice } from './attempt.ts'
import type { PluginFactory } from './plugin.ts'
import { isPod, type Pod, type PodSpec, specOf } from './pods.ts'
import { forbidden, invalid } from './refusal.ts'
import { evaluate, printViolations, type Violation } from './security/evaluate.ts'
import {
  type LevelVersion,
  levelOrder,
  type Policy,
  policyOf,
  printLevel,
} from './security/levels.ts'
import { type PodSecurityRules, podSecurityRules } from './settings.ts'
import { looking, objectsAt, resourceAt, type Stored, type World } from './world.ts'

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
      ((isResource(place, '', 'namespaces') && isWhole(place)) ||
        isPod(place) ||
        isDebugged(place) ||
        templateOf(world, place) !== undefined),
    validate(subject, voice) {
      if (subject.resource.plural === 'namespaces')
        return namespaceProblems(world, keys, rules, subject, voice)
      const exempt = exemption(rules, subject)
      if (exempt !== undefined) voice.annotate(`${keys}exempt`, exempt)
      const namespaces = resourceAt(world, 'api/v1/namespaces')
      if (exempt !== undefined || namespaces === undefined) return
      return looking(world, namespaces, subject.namespace ?? '', undefined, (found) => {
        if (found === undefined) return
        const policy = policies.get(found) ?? policyOf(keys, labelsOf(found), rules.defaults)
        policies.set(found, policy)
        judge(world, keys, rules, policy, subject, voice)
      })
    },
  }
}

type Known = ReturnType<typeof policyOf>

function judge(
  world: World,
  keys: string,
  { runtimeClasses }: PodSecurityRules,
  { policy, findings }: Known,
  subject: Subject,
  voice: Voice,
): void {
  const pods = subject.resource.plural === 'pods'
  const pod = pods
    ? (subject.object as Pod | undefined)
    : templateOf(world, subject)?.(subject.object)
  if (pod?.spec === undefined || isPrivileged(policy)) return
  if (pods && subject.old !== undefined && !isSignificant(pod, subject.old as Pod)) return
  if (runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
    voice.annotate(`${keys}exempt`, 'runtimeClass')
    return
  }
  if (findings.length > 0)
    voice.annotate(`${keys}error`, `Failed to parse policy: ${textOf(findings)}`)
  const refusal = pods ? enforced(subject, keys, policy.enforce, pod, voice) : undefined
  audited(keys, policy, pod, voice)
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

type PodLike = Pick<Pod, 'spec'> & { readonly metadata?: ApiObject['metadata'] }

function isPrivileged({ enforce, audit, warn }: Policy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === 'privileged')
}

function enforced(subject: Subject, keys: string, level: LevelVersion, pod: PodLike, voice: Voice) {
  voice.annotate(`${keys}enforce-policy`, printLevel(level))
  const violations = evaluate(level, pod)
  if (violations.length === 0) return undefined
  const text = printViolations(violations)
  return forbidden(subject, `violates PodSecurity "${printLevel(level)}": ${text}`)
}

/** The audit event says it of refused requests, too. */
function audited(keys: string, { audit }: Policy, pod: PodLike, voice: Voice): void {
  const text = violationsOf(audit, pod)
  if (text !== undefined) voice.annotate(`${keys}audit-violations`, text)
}

function violationsOf(level: LevelVersion, pod: PodLike): string | undefined {
  const violations = evaluate(level, pod)
  if (violations.length === 0) return undefined
  return `would violate PodSecurity "${printLevel(level)}": ${printViolations(violations)}`
}

function textOf(findings: readonly Finding[]): string {
  return findings.map(({ path, message }) => `${path}: ${message}`).join(', ')
}

/** True for the path on which containers for debugging come into a pod. */
function isDebugged(place: Place): boolean {
  return isResource(place, '', 'pods') && place.subresource === 'ephemeralcontainers'
}

/** What can change how safe a pod is while it runs: images, profiles, and containers that were not there. */
function isSignificant(pod: PodLike, old: Pod): boolean {
  const [now, before] = [pod, old].map((one) => ({
    images: imagesOf(one.spec),
    profiles: profilesOf(one.metadata?.annotations ?? {}),
  }))
  return JSON.stringify(now) !== JSON.stringify(before)
}

function imagesOf(spec: Partial<PodSpec> | undefined) {
  const { initContainers, containers, ephemeralContainers } = spec ?? {}
  return [initContainers, containers, ephemeralContainers].map((list) =>
    (list ?? []).map(({ name, image = '' }) => [name, image]),
  )
}

function profilesOf(annotations: Readonly<Record<string, string>>) {
  return Object.entries(annotations)
    .filter(([key]) => /^(container\.apparmor|container\.seccomp|seccomp)\./.test(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

type Template = (object: ApiObject | undefined) => PodLike | undefined

interface WithTemplate {
  readonly template?: PodLike | null
  readonly spec?: {
    readonly template?: PodLike | null
    readonly jobTemplate?: { readonly spec?: { readonly template?: PodLike | null } }
  }
}

const inSpec: Template = (object) =>
  (object as WithTemplate | undefined)?.spec?.template ?? undefined
const inJob: Template = (object) =>
  (object as WithTemplate | undefined)?.spec?.jobTemplate?.spec?.template ?? undefined
const direct: Template = (object) => (object as WithTemplate | undefined)?.template ?? undefined

const templates: ReadonlyMap<string, Template> = new Map([
  ['replicationcontrollers', inSpec],
  ['podtemplates', direct],
  ['apps/replicasets', inSpec],
  ['apps/deployments', inSpec],
  ['apps/statefulsets', inSpec],
  ['apps/daemonsets', inSpec],
  ['batch/jobs', inSpec],
  ['batch/cronjobs', inJob],
])

/** Where a kind keeps what its pods are made of. */
function templateOf(_: World, place: Place): Template | undefined {
  const { group, plural } = place.resource
  return isWhole(place) ? templates.get(group === '' ? plural : `${group}/${plural}`) : undefined
}

/** Labels are as they should be, and who raises a level hears which pods would not have been let in. */
function namespaceProblems(
  world: World,
  keys: string,
  rules: PodSecurityRules,
  subject: Subject,
  voice: Voice,
): void {
  const { object, old } = subject
  const [now, before] = [object, old].map((one) =>
    policyOf(keys, one?.metadata.labels, rules.defaults),
  )
  if (now === undefined || before === undefined || object === undefined) return
  const same = JSON.stringify(now.findings) === JSON.stringify(before.findings)
  if (now.findings.length > 0 && (old === undefined || before.findings.length === 0 || !same)) {
    throw invalid(subject, now.findings)
  }
  if (old === undefined) return
  const [level, was] = [now.policy.enforce, before.policy.enforce]
  const unchanged = printLevel(level) === printLevel(was)
  const relaxed = level.version === was.version && levelOrder(level) <= levelOrder(was)
  if (exemption(rules, subject) !== undefined) return
  if (unchanged || level.level === 'privileged' || relaxed) return
  for (const text of violators(world, object.metadata.name ?? '', level)) voice.warn(text)
}

/** How many pods are looked at when a level is raised. */
const mostPods = 3000

function violators(world: World, namespace: string, level: LevelVersion): readonly string[] {
  const pods = objectsAt(world, 'api/v1/pods', namespace)
  const looked = pods.slice(0, mostPods)
  const byReason = new Map<string, string[]>()
  for (const pod of looked) {
    const violations = evaluate(level, { spec: specOf(pod) as PodSpec, metadata: pod.metadata })
    if (violations.length === 0) continue
    const reasons = violations.map(({ reason }: Violation) => reason).join(', ')
    byReason.set(reasons, [...(byReason.get(reasons) ?? []), pod.metadata.name ?? ''])
  }
  const shown = `namespace "${namespace}" violate the new PodSecurity enforce level "${printLevel(level)}"`
  const partly =
    looked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${looked.length} of ${pods.length} existing pods`,
        ]
      : []
  if (byReason.size === 0) return partly
  const rows = [...byReason].map(([reasons, names]) => {
    const others = names.length - 1
    const more = others === 0 ? '' : ` (and ${others} other ${others === 1 ? 'pod' : 'pods'})`
    return `${names[0]}${more}: ${reasons}`
  })
  return [...partly, `existing pods in ${shown}`, ...rows]
}
