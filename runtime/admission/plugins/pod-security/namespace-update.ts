/** What is looked at when a namespace changes: its labels, and the pods that are there already. */

import { runInSlices, type Steps } from '../../../kernel/async/slices.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { Attributes, Recorder } from '../../chain/attributes.ts'
import { invalid } from '../../chain/errors.ts'
import { type PluginContext, servedKind } from '../../chain/plugin-context.ts'
import { type PodSpec, podSpecOf } from '../pods/pod-spec.ts'
import type { PodSecurityOptions } from '../settings.ts'
import { evaluate } from './evaluate.ts'
import {
  isSameLevel,
  type LevelVersion,
  levelOrder,
  modes,
  type NamespacePolicy,
  namespacePolicyOf,
  printLevel,
} from './levels.ts'

/**
 * Refuses labels that mean nothing, unless they did so before. Who raises the level of a namespace is told which of its
 * pods would not have been let in, or that nobody looks at them.
 */
export async function validateNamespace(
  world: PluginContext,
  keys: string,
  rules: PodSecurityOptions,
  subject: Attributes,
  voice: Recorder,
): Promise<void> {
  const { object, old } = subject
  if (object === undefined) return
  const now = namespacePolicyOf(keys, object.metadata.labels, rules.defaults)
  const before = old && namespacePolicyOf(keys, old.metadata.labels, rules.defaults)
  if (now.findings.length > 0) {
    const same = JSON.stringify(now.findings) === JSON.stringify(before?.findings)
    if (!same) throw invalid(subject, now.findings)
  }
  const level = now.policy.enforce
  if (before !== undefined && !isRaised(level, before.policy.enforce)) return
  const name = object.metadata.name ?? ''
  if (rules.namespaces.has(name)) {
    const ignored = ignoredLevels(keys, rules.defaults, now.policy, object.metadata.labels)
    if (ignored === undefined) return
    voice.warn(
      `namespace "${name}" is exempt from Pod Security, and the policy (${ignored}) will be ignored`,
    )
  } else if (before !== undefined) {
    const texts = await runInSlices(violatingPods(world, rules, name, level))
    for (const text of texts) voice.warn(text)
  }
}

/** True if pods could be beyond the level that were not before: another version may forbid more, too. */
function isRaised(level: LevelVersion, was: LevelVersion): boolean {
  if (level.level === 'privileged' || printLevel(level) === printLevel(was)) return false
  return level.version !== was.version || levelOrder(level) > levelOrder(was)
}

/** The levels that labels ask for and nobody holds; undefined if that makes no difference. */
function ignoredLevels(
  keys: string,
  defaults: NamespacePolicy,
  policy: NamespacePolicy,
  labels: Readonly<Record<string, string>> = {},
): string | undefined {
  const holds = (other: LevelVersion, mode: keyof NamespacePolicy) =>
    isSameLevel(policy[mode], other)
  if (modes.every((mode) => policy[mode].level === 'privileged')) return undefined
  if (modes.every((mode) => holds(defaults[mode], mode))) return undefined
  const isGiven = (mode: keyof NamespacePolicy) =>
    Object.hasOwn(labels, `${keys}${mode}`) || Object.hasOwn(labels, `${keys}${mode}-version`)
  const asked = modes.filter((mode) => policy[mode].level !== 'privileged' && isGiven(mode))
  return asked.map((mode) => `${mode}=${printLevel(policy[mode])}`).join(', ')
}

/** How many pods are looked at when a level is raised. */
const maxPodsChecked = 3000

/** Reading a stored pod, of some size; looking at it. */
const [workOfReading, workOfLooking] = [250, 20]

/** The pods that a level refuses, by what is wrong with them. */
function* violatingPods(
  world: PluginContext,
  rules: PodSecurityOptions,
  namespace: string,
  level: LevelVersion,
): Steps<readonly string[]> {
  const pods = yield* podsToCheck(world, rules, namespace)
  const looked = pods.slice(0, maxPodsChecked)
  const byReason = new Map<string, ViolatingPods>()
  for (const pod of looked) {
    yield workOfLooking
    const violations = evaluate(level, { spec: podSpecOf(pod) as PodSpec, metadata: pod.metadata })
    if (violations.length === 0) continue
    const reasons = violations.map(({ reason }) => reason).join(', ')
    const { name = '' } = pod.metadata
    const row = byReason.get(reasons) ?? { first: name, others: -1 }
    const isFirst = name < row.first
    byReason.set(reasons, { first: isFirst ? name : row.first, others: row.others + 1 })
  }
  return [
    ...(looked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${looked.length} of ${pods.length} existing pods`,
        ]
      : []),
    ...(byReason.size > 0
      ? [
          `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${printLevel(level)}"`,
        ]
      : []),
    ...[...byReason].map(([reasons, row]) => `${describeViolatingPods(row)}: ${reasons}`).sort(),
  ]
}

/** Pods that have the same wrong with them: the first by its name, and how many others there are. */
interface ViolatingPods {
  readonly first: string
  readonly others: number
}

function describeViolatingPods({ first, others }: ViolatingPods): string {
  if (others === 0) return first
  return `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`
}

/** The pods that a level holds for: of those of one controller, which are alike, all but the first come last. */
function* podsToCheck(
  world: PluginContext,
  { runtimeClasses }: PodSecurityOptions,
  namespace: string,
): Steps<readonly ApiObject[]> {
  const kind = servedKind(world, 'api/v1/pods')
  const [first, alike]: [ApiObject[], ApiObject[]] = [[], []]
  const controllers = new Set<string>()
  for (const stored of kind === undefined ? [] : world.lister.list(kind, namespace)) {
    yield workOfReading
    const pod = stored.object()
    if (runtimeClasses.has(podSpecOf(pod).runtimeClassName ?? '')) continue
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid
    if (owner !== undefined && controllers.has(owner)) alike.push(pod)
    else first.push(pod)
    if (owner !== undefined) controllers.add(owner)
  }
  return [...first, ...alike]
}
