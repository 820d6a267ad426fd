import type { Steps } from '../../../kernel/async/slices.ts'
import { controllerOf } from '../../../kernel/meta/controller-of.ts'
import type { ApiObject, Stored } from '../../../kernel/meta/object.ts'
import { listStored, type PluginContext } from '../../chain/plugin-context.ts'
import { type PodSpec, podSpecOf } from '../pods/pod-spec.ts'
import { evaluate } from './evaluate.ts'
import { type LevelVersion, printLevel } from './levels.ts'
import type { PodSecurityOptions } from './options.ts'

/** Bound on the pods that are evaluated when a level is raised. */
const maxPodsChecked = 3000

/** Costs in steps: reading a stored pod, and evaluating it. */
const [readCost, evaluateCost] = [250, 20]

/** The pods with the same violations: the first by name, and the number of the others. */
interface ViolatingPods {
  readonly first: string
  readonly others: number
}

/**
 * The warnings about existing pods of a namespace that violate a level, by their violations.
 * Warnings about the whole come first, the lines of pods follow in alphabetical order. Which pods
 * are exempt by their user is not known any more; those are warned about.
 */
export function* violatingPods(
  context: PluginContext,
  options: PodSecurityOptions,
  namespace: string,
  level: LevelVersion,
): Steps<readonly string[]> {
  const pods = yield* podsToCheck(context, options, namespace)
  const checked = pods.slice(0, maxPodsChecked)
  const byViolations = new Map<string, ViolatingPods>()
  for (const pod of checked) {
    yield evaluateCost
    addViolations(byViolations, pod, level)
  }
  const warnings: string[] = []
  if (checked.length < pods.length) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
    )
  }
  if (byViolations.size > 0) {
    warnings.push(
      `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${printLevel(level)}"`,
    )
  }
  const lines = [...byViolations].map(([reasons, found]) => `${describe(found)}: ${reasons}`)
  return [...warnings, ...lines.sort()]
}

/** Counts a pod under its violations. The first pod by name stands for all with the same ones. */
function addViolations(
  byViolations: Map<string, ViolatingPods>,
  pod: Stored<ApiObject>,
  level: LevelVersion,
): void {
  const violations = evaluate(level, { spec: podSpecOf(pod) as PodSpec, metadata: pod.metadata })
  if (violations.length === 0) return
  const reasons = violations.map(({ reason }) => reason).join(', ')
  const { name } = pod.metadata
  const found = byViolations.get(reasons)
  byViolations.set(reasons, {
    first: found === undefined || name < found.first ? name : found.first,
    others: found === undefined ? 0 : found.others + 1,
  })
}

function describe({ first, others }: ViolatingPods): string {
  if (others === 0) return first
  return `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`
}

/** The pods that are not exempt. Those of one controller are alike: all but the first of them come last. */
function* podsToCheck(
  context: PluginContext,
  { runtimeClasses }: PodSecurityOptions,
  namespace: string,
): Steps<readonly Stored<ApiObject>[]> {
  const first: Stored<ApiObject>[] = []
  const alike: Stored<ApiObject>[] = []
  const controllers = new Set<string>()
  for (const stored of listStored(context, 'api/v1/pods', namespace)) {
    yield readCost
    const pod = stored.object()
    if (runtimeClasses.has(podSpecOf(pod).runtimeClassName ?? '')) continue
    const owner = controllerOf(pod)?.uid
    if (owner !== undefined && controllers.has(owner)) alike.push(pod)
    else first.push(pod)
    if (owner !== undefined) controllers.add(owner)
  }
  return [...first, ...alike]
}
